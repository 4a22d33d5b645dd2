package rollout

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Bounds of a record. It is one annotation of an object that every waiting
// replica reads again and again.
const (
	MaxSize      = 16 << 10 // bytes, encoded
	verdictRoom  = 1 << 10  // of these, what gates leave for what stops them: a rejection for each revision, and a pause
	maxRevisions = 3        // a rolling update has two, a third is what it may go back to
	maxRejected  = 8        // hashes for each revision
	maxName      = 63       // characters of a pod's name or a step; what is longer is cut
)

// Version is the schema's. It goes up when a field changes its meaning.
const Version = 1

// Record is the roll-out of one fleet. The zero Record is that of a fleet in
// which nothing has happened yet.
type Record struct {
	Version   int         `json:"version"`
	Serial    int         `json:"serial"`              // of the last hold or loss; it tells each from the one before
	Paused    bool        `json:"paused,omitempty"`    // nobody gets a hold
	Snapshot  string      `json:"snapshot,omitempty"`  // hash that became stable last, in whatever revision: what the snapshot is to hold
	Revisions []*Revision `json:"revisions,omitempty"` // the last three, the last used at the end
}

// Revision is the roll-out among the replicas of one image and pod template.
type Revision struct {
	Name     string      `json:"name"`
	Stable   string      `json:"stable,omitempty"`   // hash that the canaries accepted last
	Previous string      `json:"previous,omitempty"` // the stable one before
	Trial    *Trial      `json:"trial,omitempty"`
	Rejected []Rejection `json:"rejected,omitempty"` // the last eight, the newest at the end
}

// Trial is the hash that replicas may get a hold for.
type Trial struct {
	Hash     string `json:"hash"`
	Canaries int    `json:"canaries"`         // how many must accept it, one after the other, before it is stable
	Accepted int    `json:"accepted"`         // how many have
	Losses   int    `json:"losses,omitempty"` // canaries lost since the last one accepted
	Lost     int    `json:"lost,omitempty"`   // serial of the last loss
	Holds    []Hold `json:"holds,omitempty"`
}

// Hold is one replica's permission to try the hash of its trial. It ends with
// the replica's report, or lapses.
type Hold struct {
	Pod       string `json:"pod"` // UID
	Container string `json:"container"`
	Life      Life   `json:"life,omitempty"` // of the container, when it got the hold
	Bound     int    `json:"bound"`          // seconds, from the gate's exit to the report
	Serial    int    `json:"serial"`
}

// Rejection says who refused a hash, and where. It holds no reason: that may
// quote what a hook printed.
type Rejection struct {
	Hash string `json:"hash"`
	Step string `json:"step"`
	Pod  string `json:"pod"` // name
}

// Replica is who asks or reports.
type Replica struct {
	Revision  string
	Pod       string // UID
	PodName   string // for people
	Container string
	Life      Life          // of its container, now
	Hash      string        // of what it wants to go on with, or went on with
	Accepted  string        // hash that it accepted last; "": none
	Bound     time.Duration // most time from the gate's exit to the report
	Starting  bool          // its app doesn't run yet, and there is something else to start on
}

// Encode writes a record as compact JSON. It is an error if that is too large.
func (r Record) Encode() (string, error) {
	return r.text(), r.fits(MaxSize)
}

func (r Record) fits(size int) error {
	if n := len(r.text()); n > size {
		return fmt.Errorf("cannot store the roll-out: it has %d bytes, %d are allowed", n, size)
	}
	return nil
}

// Same reports that there is nothing to store: the other record is the same,
// however large somebody made it.
func (r Record) Same(other Record) bool {
	return r.text() == other.text()
}

// text is the record as JSON. Its fields are numbers, texts and lists of them,
// which always have one.
func (r Record) text() string {
	r.Version = Version
	data, _ := json.Marshal(r)
	return string(data)
}

// ErrNewer is that a newer confitctl wrote the record.
var ErrNewer = errors.New("it is of version")

// Decode reads what Encode wrote. An empty text is the zero Record.
func Decode(text string) (Record, error) {
	r := Record{Version: Version}
	if text == "" {
		return r, nil
	}
	switch err := json.Unmarshal([]byte(text), &r); {
	case r.Version > Version: // a newer one may have changed a type
		return Record{}, fmt.Errorf("cannot read the roll-out: %w %d, this confitctl knows version %d", ErrNewer, r.Version, Version)
	case err != nil:
		return Record{}, fmt.Errorf("cannot read the roll-out: %w", err)
	case slices.Contains(r.Revisions, nil):
		return Record{}, fmt.Errorf("cannot read the roll-out: a revision is null")
	}
	return r, nil
}

// clone is a copy that shares nothing with r.
func (r Record) clone() Record {
	r.Revisions = slices.Clone(r.Revisions)
	for i, v := range r.Revisions {
		r.Revisions[i] = v.clone()
	}
	return r
}

func (v *Revision) clone() *Revision {
	c := *v
	c.Rejected = slices.Clone(v.Rejected)
	if v.Trial != nil {
		t := *v.Trial
		t.Holds = slices.Clone(t.Holds)
		c.Trial = &t
	}
	return &c
}
