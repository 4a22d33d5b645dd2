// Package status knows the schema of status.json, and what it means.
//
// It guarantees that a status encodes to one JSON object with every field, in an order that never
// changes, and that within a version no field goes away or changes its meaning. A field without a
// value is null; docs/status.md explains each.
//
// It knows no files, processes or policy: package supervisor fills a Status, and package linker
// writes its bytes.
package status

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Version is the schema's. It goes up when a field changes its meaning.
const Version = 1

// Status is what confit does, what the app has, and why that isn't what is mounted. The hashes of
// what is mounted, live and accepted show where they differ.
type Status struct {
	Version  int    `json:"version"`  // of the schema; Encode sets it
	Confit   string `json:"confit"`   // the version of the program
	Updated  Time   `json:"updated"`  // when this was written
	Phase    string `json:"phase"`    // as in the log: running, validating, done …
	Degraded string `json:"degraded"` // why the configuration side broke down; "": it works
	Trouble  string `json:"trouble"`  // what the system refused and confit tries again; "": nothing
	// since when the volumes or the state directory don't answer; null: they do
	Stalled Time `json:"stalled"`
	// that is a key of what is live, which was changed and which no volume has any more
	Damaged bool `json:"damaged"`
	// since when the links files are not what confit was started with; null: they are
	LinksChanged Time        `json:"linksChanged"`
	App          App         `json:"app"`      //
	Mounted      *Mounted    `json:"mounted"`  // what the last look found in the volumes
	Live         *Generation `json:"live"`     // what the targets resolve to
	Accepted     *Accepted   `json:"accepted"` // what a roll back goes back to
	GoneDown     *GoneDown   `json:"goneDown"` // why the app isn't on what was accepted last; null: it is
	// why verify or READY failed at a start on what was accepted; "": neither did
	Unwell    string      `json:"unwell"`
	Candidate *Generation `json:"candidate"` // what is on its way; since: when it was staged
	// when confit saw a change that is neither live nor rejected yet
	PendingSince Time              `json:"pendingSince"`
	Rejection    *Rejection        `json:"rejection"` // the last one, whether or not it was put right since
	Gate         *Gate             `json:"gate"`      // what waits for the gate; null: nothing does
	Report       *Report           `json:"report"`    // what the report hook was told last; null: nothing yet
	Volumes      []Volume          `json:"volumes"`   // in the order of the links
	Keys         map[string]string `json:"keys"`      // of the accepted generation: path → SHA-256
	Counters     Counters          `json:"counters"`  // since confit started
}

// App is the process after --.
type App struct {
	PID      int    `json:"pid"`      // in confit's PID namespace; 0: not running
	Started  Time   `json:"started"`  //
	Restarts int    `json:"restarts"` // how often confit started it again
	Reload   string `json:"reload"`   // how it is reloaded, and why when that was learnt
	// whether anything that changed was opened within 30 s of the last reload; null: not known
	// (yet)
	Read     *bool  `json:"read"`
	Text     string `json:"text"`     // what the app says of itself: STATUS= of sd_notify(3)
	LastExit *Exit  `json:"lastExit"` // null: none has ended yet

	Entrypoint *Entrypoint `json:"entrypoint"` // what works in front of the app, and edits wait for; null: nothing does
}

// Entrypoint is a script that has not executed the app.
type Entrypoint struct {
	Program string `json:"program"` // what runs there
	Since   Time   `json:"since"`
	Until   Time   `json:"until"` // when an edit waits for it no longer
}

// Exit is how the last app ended.
type Exit struct {
	At        Time   `json:"at"`
	Status    string `json:"status"` // as the log says it: "exit 1", "signal 9"
	Code      int    `json:"code"`   // the exit code that it stands for
	OOMKilled bool   `json:"oomKilled"`
}

// Mounted is what the volumes hold.
type Mounted struct {
	Hash   string         `json:"hash"`   // "": there is none, as a key is missing
	Shared string         `json:"shared"` // CONFIT_HASH of it: the same in every replica; "": there is none
	Since  Time           `json:"since"`  // when confit first saw it
	Keys   map[string]Sum `json:"keys"`   // what differs from the accepted keys
}

// Generation is a complete copy of every linked key.
type Generation struct {
	Number int    `json:"generation"`
	Hash   string `json:"hash"`   // SHA-256 of names, modes and bytes
	Source string `json:"source"` // "mounted", or "fallback"
	Since  Time   `json:"since"`
}

// Accepted is a generation that was proved.
type Accepted struct {
	Generation
	Proof   string `json:"proof"`   // what proved it: "verify", "probation", "none" …
	Soaked  bool   `json:"soaked"`  // the app has lived with it for --soak
	SoaksAt Time   `json:"soaksAt"` // when it will have, as far as anything depends on that; null: not known, or it has
}

// GoneDown is that the app died of what was accepted last, and has to live on what was accepted
// before.
type GoneDown struct {
	From    Generation `json:"from"` // what the app died of
	Reason  string     `json:"reason"`
	SoaksAt Time       `json:"soaksAt"` // if the app lives until then, it is rejected; null: not known yet
}

// Rejection is why a candidate was refused.
type Rejection struct {
	At       Time   `json:"at"`
	Hash     string `json:"hash"`     // "": there was none, as a key was missing
	Step     string `json:"step"`     // stage, validate, verify …
	Reason   string `json:"reason"`   // as the log says it
	Output   string `json:"output"`   // the last that the hook printed, at most 4 KiB
	Attempts int    `json:"attempts"` // how often confit rejected this candidate
	NextTry  Time   `json:"nextTry"`  // null: not before a volume changes

	Keys map[string]Sum `json:"keys"` // what differs from the accepted keys
	// those of them that have changed since it was first refused, and since when they wait for that
	HeldUp map[string]Time `json:"heldUp"`
}

// Gate is a change that waits for the gate.
type Gate struct {
	Hash  string `json:"hash"` // CONFIT_HASH: the same in every replica
	Since Time   `json:"since"`
	// what the report hook has to take before the gate is asked, such as "accepted of
	// 08e2a94b6c5d"; "": it is asked
	Waits string `json:"waits"`
}

// Report is an outcome that the report hook was told.
type Report struct {
	At        Time   `json:"at"`
	Hash      string `json:"hash"`      // CONFIT_HASH; "": there was none, as a key was missing
	Outcome   string `json:"outcome"`   // accepted, rejected, rolled-back …
	Delivered bool   `json:"delivered"` // the hook exited with 0
	Error     string `json:"error"`     // why not; "": it did
}

// Volume is a mounted directory.
type Volume struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`    // atomic, plain or missing
	Watched string `json:"watched"` // inotify or polling, where only the rescan looks
	Mounted string `json:"mounted"` // the directory behind ..data; "" for a plain one
	Prefix  string `json:"prefix"`  // where its keys stand in Keys: KEY is PREFIX/KEY there; "": as KEY
	// which of its keys the lines take: KEY, a pattern of [path.Match], or DIR/ for each below, ./
	// for all
	Patterns []string `json:"patterns"`
}

// Counters only go up.
type Counters struct {
	Swaps      int `json:"swaps"`      // changes of the volumes
	Reloads    int `json:"reloads"`    // how often the app was reloaded, restarts included
	Rejections int `json:"rejections"` //
	RollBacks  int `json:"rollBacks"`  // generations taken back after the app was reloaded
	Orphans    int `json:"orphans"`    // reaped
}

// Verdicts: the exit codes of --status.
const (
	Well     = 0 // what is mounted is live, or on its way
	None     = 1 // there is no status that can be read
	Rejected = 3 // what is mounted was rejected
)

// Verdict is [Well] or [Rejected]. A rejection stands until the same configuration is accepted or
// another one is mounted, so it doesn't flicker while confit tries again. [Rejected] is, too, when
// confit can't apply what is mounted, as the system refuses it, a volume doesn't answer or the
// configuration side broke down; when what is live isn't what was accepted; and when the app died
// of what was accepted, or isn't well on it.
func (s *Status) Verdict() int {
	switch {
	case s.Degraded != "", s.Stalled != "", s.Damaged, s.refused(), s.GoneDown != nil, s.Unwell != "":
		return Rejected
	case s.Rejection == nil, s.Mounted == nil, s.PendingSince != "", s.Rejection.Hash != s.Mounted.Hash:
		return Well
	case s.Accepted != nil && s.Accepted.Hash == s.Mounted.Hash:
		return Well
	}
	return Rejected
}

// refused reports a change that the system refuses to apply.
func (s *Status) refused() bool { return s.Trouble != "" && s.PendingSince != "" }

// Encode writes the status as indented JSON that ends in a newline. It replaces bytes of a hook's
// output that aren't UTF-8.
func (s *Status) Encode() []byte {
	whole := *s
	whole.Version = Version
	if whole.Volumes == nil {
		whole.Volumes = []Volume{}
	}
	if whole.Keys == nil {
		whole.Keys = map[string]string{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent("", "  ")
	_ = e.Encode(whole) // to memory, and JSON has all types of a status
	return b.Bytes()
}

// Decode reads a status that any confit has encoded, unless its version is newer.
func Decode(data []byte) (Status, error) {
	var s Status
	err := json.Unmarshal(data, &s)
	switch {
	case err != nil && s.Version <= Version: // a newer one may have changed a type
		return Status{}, fmt.Errorf("cannot read the status: %w", err)
	case s.Version > Version:
		return Status{}, fmt.Errorf(
			"cannot read the status: it is of version %d, this confit knows version %d: ask the confit that wrote it",
			s.Version, Version)
	case s.Version < 1:
		return Status{}, errors.New("cannot read the status: it has no version, so confit didn't write it")
	}
	return s, nil
}

// Show prints a status: as text for people, or its bytes as they are. The verdict is the exit code.
func Show(w io.Writer, raw bool, data []byte) (verdict int, err error) {
	s, err := Decode(data)
	if !raw {
		data = s.Text(time.Now())
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return None, err
	}
	return s.Verdict(), nil
}

// Time is a moment in UTC as RFC 3339 writes it; "" is none, and null in JSON. It has whole
// seconds, as fromdate of jq(1) reads no fractions. time.Time would add 20 KB.
type Time string

// At is the Time of a moment; the zero one is none.
func At(t time.Time) Time {
	if t.IsZero() {
		return ""
	}
	return Time(t.UTC().Format(time.RFC3339))
}

// MarshalJSON writes the moment as a string, or null.
func (t Time) MarshalJSON() ([]byte, error) { return orNull(string(t)) }

// Sum is a SHA-256 in 64 digits; "" is none, and null in JSON.
type Sum string

// MarshalJSON writes the digits as a string, or null.
func (s Sum) MarshalJSON() ([]byte, error) { return orNull(string(s)) }

func orNull(s string) ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return []byte(`"` + s + `"`), nil
}
