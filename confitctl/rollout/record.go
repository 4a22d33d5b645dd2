package rollout

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds of a record. It is one annotation of an object that every waiting
// replica reads again and again.
const (
	MaxSize     = 32 << 10 // bytes, encoded
	verdictRoom = 8 << 10  // of these, what gates leave for what stops them: verdicts in each revision, and a pause
	maxName     = 40       // bytes of a pod's name or a step; what is longer is cut
	maxRejected = 8        // hashes for each revision
	maxLate     = 20       // pods for each revision
)

// Version is the schema's. It goes up when a field changes its meaning. An older
// confitctl drops fields that it doesn't know; without them its own rules hold.
const Version = 1

// Record is the rollout of one fleet. The zero Record is that of a fleet in
// which nothing has happened yet. Times are in seconds since 1970, by the clock of
// whoever stores the record; 0 is one that isn't known.
type Record struct {
	Version   int         `json:"version"`
	Serial    int         `json:"serial"`             // of the last thing that is observed or ordered; it tells each from the one before
	Paused    bool        `json:"paused,omitempty"`   // nobody gets a hold
	PausedAt  int64       `json:"pausedAt,omitempty"` // since when
	Snapshot  string      `json:"snapshot,omitempty"` // hash that was proved last, in whatever revision: what the snapshot is to hold
	Revisions []*Revision `json:"revisions,omitempty"`
}

// Revision is the rollout among the replicas of one image and pod template.
type Revision struct {
	Name     string      `json:"name"`
	Seen     int64       `json:"seen,omitempty"`     // when a replica of it looked or reported last, give or take an hour
	Remains  bool        `json:"remains,omitempty"`  // others took its place: only what is stable and what was rejected last is known
	Stable   string      `json:"stable,omitempty"`   // hash that the canaries accepted last
	Previous string      `json:"previous,omitempty"` // the stable one before
	Proofs   []Proof     `json:"proofs,omitempty"`   // of the stable hash, the previous one and the one that is tried
	Trial    *Trial      `json:"trial,omitempty"`
	Late     []Late      `json:"late,omitempty"`     // the last twenty, the newest at the end
	Rejected []Rejection `json:"rejected,omitempty"` // the last eight, the newest at the end
}

// Proof is how well a hash is known.
type Proof struct {
	Hash     string `json:"hash"`
	Accepted int    `json:"accepted,omitempty"` // how many have, in its trial; 0 for the first of a revision, which nobody counts
	Failures int    `json:"failures,omitempty"` // as in its trial
	Proved   bool   `json:"proved,omitempty"`
	Serial   int    `json:"serial,omitempty"` // since when: the higher, the later
	At       int64  `json:"at,omitempty"`     // when it became stable
}

// Trial is the hash that replicas may get a hold for.
type Trial struct {
	Hash     string `json:"hash"`
	Since    int64  `json:"since,omitempty"`
	Canaries int    `json:"canaries"`           // how many must accept it, one after the other, before it is stable
	Failures int    `json:"failures,omitempty"` // how many pods must reject it; 0: it depends on how many have accepted
	Accepted int    `json:"accepted"`           // how many have
	Losses   int    `json:"losses,omitempty"`   // canaries lost since the last one accepted
	Lost     int    `json:"lost,omitempty"`     // serial of the last loss
	LostAt   int64  `json:"lostAt,omitempty"`
	Undone   bool   `json:"undone,omitempty"` // the fleet has gone back from it: who is in flight ends, and makes it stable no more
	Free     bool   `json:"free,omitempty"`   // a person has let it go to all at once
	Holds    []Hold `json:"holds,omitempty"`
}

// Hold is one replica's permission to try the hash of its trial. It ends with
// the replica's report, or lapses.
type Hold struct {
	Pod       string `json:"pod"` // UID
	Name      string `json:"name,omitempty"`
	Container string `json:"container,omitempty"`
	Life      Life   `json:"life,omitempty"` // of the container, when it got the hold
	Bound     int    `json:"bound"`          // seconds, from the gate's exit to the report
	Serial    int    `json:"serial"`
	At        int64  `json:"at,omitempty"`
}

// Late is what a pod has said against a hash that others went on with.
type Late struct {
	Hash   string `json:"hash"`
	Pod    string `json:"pod"` // UID
	Name   string `json:"name,omitempty"`
	Step   string `json:"step,omitempty"`
	Failed bool   `json:"failed,omitempty"` // it rejected the hash; else its app has ended once, and it will say more
	Open   bool   `json:"open,omitempty"`   // nobody begins because of it
	Bound  int    `json:"bound"`            // seconds, for which that lasts
	Serial int    `json:"serial"`
	At     int64  `json:"at,omitempty"`
}

// Rejection says who refused a hash, and where. It holds no reason: that may
// quote what a hook printed.
type Rejection struct {
	Hash string `json:"hash"`
	Step string `json:"step"`
	Pod  string `json:"pod"` // name
	At   int64  `json:"at,omitempty"`
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
	Bound     time.Duration // most time from the gate's exit to the report, or from a relapse to what the pod says next
	Starting  bool          // its app doesn't run yet, and there is something else to start on
}

// Encode writes a record as compact JSON. It is an error if that is too large.
func (r Record) Encode() (string, error) {
	return r.text(), r.fits(MaxSize)
}

func (r Record) fits(size int) error {
	if n := len(r.text()); n > size {
		return fmt.Errorf("cannot store the rollout: it has %d bytes, %d are allowed", n, size)
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
		return Record{}, fmt.Errorf("cannot read the rollout: %w %d, this confitctl knows version %d", ErrNewer, r.Version, Version)
	case err != nil:
		return Record{}, fmt.Errorf("cannot read the rollout: %w", err)
	case slices.Contains(r.Revisions, nil):
		return Record{}, fmt.Errorf("cannot read the rollout: a revision is null")
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
	c.Rejected, c.Late, c.Proofs = slices.Clone(v.Rejected), slices.Clone(v.Late), slices.Clone(v.Proofs)
	if v.Trial != nil {
		t := *v.Trial
		t.Holds = slices.Clone(t.Holds)
		c.Trial = &t
	}
	return &c
}

// cut keeps a name from filling the record.
func cut(name string) string { return strings.ToValidUTF8(name[:min(maxName, len(name))], "") }

// seconds rounds up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
