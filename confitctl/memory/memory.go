// Package memory keeps what the gates of one container have seen of a rollout. Each
// edit ends one gate and begins another, and a place that is lost has to be given away
// nonetheless.
//
// It guarantees that what was seen before the kernel was started counts no more, as the
// clock began anew, and that a file which can't be read or written is none. It decides
// nothing.
package memory

import (
	"encoding/json"
	"os"
	"path/filepath"

	"confit/confitctl/life"
	"confit/confitctl/rollout"
)

// name is that of the file.
const name = "seen.json"

// Dir is where the file is kept, confit's state directory; "": nowhere.
type Dir string

// Seen is what is kept.
type Seen struct {
	Boot     string           `json:"boot"`  // which start of the kernel the observer's clock counts from
	Lease    string           `json:"lease"` // UID of what was observed
	Observer rollout.Observer `json:"observer"`
}

// Load is what was kept under this kernel; nothing if there is none.
func (d Dir) Load() Seen {
	nothing := Seen{Boot: life.Boot("/proc")}
	if d == "" || nothing.Boot == "" {
		return nothing
	}
	data, err := os.ReadFile(filepath.Join(string(d), name))
	before := nothing
	if err != nil || json.Unmarshal(data, &before) != nil || before.Boot != nothing.Boot || before.Observer.Last.Own > life.Clock() {
		return nothing
	}
	return before
}

// Save keeps what was seen, as far as that can be.
func (d Dir) Save(s Seen) {
	if d == "" || s.Boot == "" {
		return
	}
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	file := filepath.Join(string(d), name)
	if os.WriteFile(file+".new", data, 0o600) == nil {
		_ = os.Rename(file+".new", file)
	}
}
