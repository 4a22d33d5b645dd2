// Package status knows the schema of status.json, and what it means.
//
// It guarantees that a status encodes to one complete JSON object in which
// every field is present in the same order, and that no field which was ever
// there goes away or changes its meaning within a version. What there is none
// of is null; docs/status.md says what each field tells.
//
// It knows no files, processes or policy: package supervisor fills a Status
// and package linker keeps its bytes.
package status

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Version is the schema's. It goes up when a field changes its meaning; a new
// field is no new version.
const Version = 1

// Status is what confit is doing, what the app has, and why it isn't what is
// mounted. The three hashes tell drift apart.
type Status struct {
	Version      int               `json:"version"`      // of the schema; Encode sets it
	Confit       string            `json:"confit"`       // the version of the program
	Updated      Time              `json:"updated"`      // when this was written
	Phase        string            `json:"phase"`        // as in the log: running, validating, done …
	Degraded     string            `json:"degraded"`     // why the configuration side broke down; "": it works
	Trouble      string            `json:"trouble"`      // what the system refused, and is tried again; "": nothing
	Stalled      Time              `json:"stalled"`      // since when the volumes or the state directory don't answer; null: they do
	App          App               `json:"app"`          //
	Mounted      *Mounted          `json:"mounted"`      // what the last look at the volumes found
	Live         *Generation       `json:"live"`         // what the targets resolve to
	Accepted     *Accepted         `json:"accepted"`     // what is gone back to
	Candidate    *Generation       `json:"candidate"`    // what is on its way; since: when it was staged
	PendingSince Time              `json:"pendingSince"` // when a change was seen that is neither live nor rejected yet
	Rejection    *Rejection        `json:"rejection"`    // the last one, whether or not it was mended since
	Volumes      []Volume          `json:"volumes"`      // in the order of the links
	Keys         map[string]string `json:"keys"`         // of the accepted generation: path → SHA-256
	Counters     Counters          `json:"counters"`     // since confit started
}

// App is the process after --.
type App struct {
	PID      int    `json:"pid"`      // in confit's PID namespace; 0: not running
	Started  Time   `json:"started"`  //
	Restarts int    `json:"restarts"` // how often confit started it again
	Reload   string `json:"reload"`   // how it is reloaded, and why when that was learnt
	Read     *bool  `json:"read"`     // whether anything that changed was opened within 30 s of the last reload; null: not known (yet)
	Text     string `json:"text"`     // what the app says of itself: STATUS= of sd_notify(3)
	LastExit *Exit  `json:"lastExit"` // null: none has ended yet
}

// Exit is how an app ended.
type Exit struct {
	At        Time   `json:"at"`
	Status    string `json:"status"` // as the log says it: "exit 1", "signal 9"
	Code      int    `json:"code"`   // the exit code made of it
	OOMKilled bool   `json:"oomKilled"`
}

// Mounted is what the volumes hold.
type Mounted struct {
	Hash  string `json:"hash"`  // "": it can't be a generation, as a key is missing
	Since Time   `json:"since"` // when it was first seen
}

// Generation is a complete copy of every linked key.
type Generation struct {
	Number int    `json:"generation"`
	Hash   string `json:"hash"` // SHA-256 of names, modes and bytes
	Since  Time   `json:"since"`
}

// Accepted is a generation that was proved.
type Accepted struct {
	Generation
	Proof string `json:"proof"` // what proved it: "verify", "probation", "none" …
}

// Rejection is why a candidate was refused.
type Rejection struct {
	At       Time   `json:"at"`
	Hash     string `json:"hash"`     // "": it had none, as a key was missing
	Step     string `json:"step"`     // stage, validate, verify …
	Reason   string `json:"reason"`   // as the log says it
	Output   string `json:"output"`   // the last that the hook printed, at most 4 KiB
	Attempts int    `json:"attempts"` // how often this candidate was rejected
	NextTry  Time   `json:"nextTry"`  // null: not before a volume changes
}

// Volume is a mounted directory.
type Volume struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`    // atomic, plain or missing
	Watched string `json:"watched"` // inotify, or polling: only the rescan looks
	Mounted string `json:"mounted"` // the directory behind ..data; "" for a plain one
}

// Counters only go up.
type Counters struct {
	Swaps      int `json:"swaps"`      // changes of the volumes that were seen
	Reloads    int `json:"reloads"`    // how often the app was reloaded, restarts included
	Rejections int `json:"rejections"` //
	RollBacks  int `json:"rollBacks"`  // generations taken back after the app was reloaded
	Orphans    int `json:"orphans"`    // reaped
}

// Verdicts, the exit codes of --status.
const (
	Well     = 0 // what is mounted is live, or on its way
	None     = 1 // there is no status that can be read
	Rejected = 3 // what is mounted was rejected
)

// Verdict is [Well] or [Rejected]. A rejection stands until what was rejected
// is accepted or something else is mounted, so it doesn't flicker while it is
// tried again. A configuration side that broke down, or that waits for a volume
// which doesn't answer, applies nothing: that is [Rejected], too.
func (s *Status) Verdict() int {
	switch {
	case s.Degraded != "", s.Stalled != "":
		return Rejected
	case s.Rejection == nil || s.Mounted == nil || s.PendingSince != "":
		return Well
	case s.Rejection.Hash != s.Mounted.Hash:
		return Well
	case s.Accepted != nil && s.Accepted.Hash == s.Mounted.Hash:
		return Well
	}
	return Rejected
}

// Encode writes the status as indented JSON that ends in a newline. Bytes that
// a hook printed and that aren't UTF-8 are replaced.
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
	e.SetEscapeHTML(false) // it is read by people, and isn't part of a page
	e.SetIndent("", "  ")
	_ = e.Encode(&whole) // of strings, numbers and times: there is nothing that can't be encoded
	return b.Bytes()
}

// Decode reads what Encode wrote, also one of an older or newer confit as long
// as its version isn't newer.
func Decode(data []byte) (Status, error) {
	var s Status
	switch err := json.Unmarshal(data, &s); {
	case err != nil && s.Version <= Version: // a newer one may have changed a type
		return Status{}, fmt.Errorf("cannot read the status: %w", err)
	case s.Version > Version:
		return Status{}, fmt.Errorf("cannot read the status: it is of version %d, this confit knows version %d: ask the confit that wrote it", s.Version, Version)
	case s.Version < 1:
		return Status{}, errors.New("cannot read the status: it has no version, so confit didn't write it")
	}
	return s, nil
}

// Show prints a status as it is. Its verdict is the exit code.
func Show(w io.Writer, data []byte) (verdict int, err error) {
	s, err := Decode(data)
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return None, err
	}
	return s.Verdict(), nil
}

// Time is a moment as RFC 3339 in UTC; "" is none, and null in JSON. Whole
// seconds, as the function fromdate of jq(1) reads no fractions. It is a text,
// as time.Time would bring along whatever reads one: 20 KB.
type Time string

// At is the Time of a moment; the zero one is none.
func At(t time.Time) Time {
	if t.IsZero() {
		return ""
	}
	return Time(t.UTC().Format(time.RFC3339))
}

// MarshalJSON writes it.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return []byte(`"` + t + `"`), nil
}
