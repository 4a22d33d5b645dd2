package linker

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"confit/linker/files"
	"confit/linker/statedir"
)

const trialName = "trial"

// trialVersion is the version of the file; see noteVersion.
const trialVersion = 2

// Steps that mean something to a trial. The others are named as their hooks.
const (
	StepRender    = "render"    // the candidate isn't rendered yet
	StepProbation = "probation" // it is published, and no hook works on it
	StepRelapse   = "relapse"   // it is accepted, and an app that was started on it is young
)

// Trial says that confit may be killed by a generation now: a hook runs that makes
// or checks it, or it is published and not proved. The zero value is no trial.
type Trial struct {
	Hash  Hash   // of the generation; of its inputs, as long as it isn't rendered
	Step  string // what it goes through
	Kills int    // how often that will have happened if confit is killed now: nothing is written after it

	PutOff bool // that was its last trial, and since then something else came first
}

// savedTrial is the file trial.
type savedTrial struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"`
	Step    string `json:"step"`
	Kills   int    `json:"kills"`
	PutOff  bool   `json:"putOff,omitempty"`
	Boot    string `json:"boot"` // the kernel's boot_id; "": not known
}

// Arm records a trial, for the next confit if this one is killed. No trial removes
// the record, by unlink(2) alone, which a full disk doesn't refuse. A trial that
// can't be recorded isn't one: the record stays if it is of the same generation, as it
// counts the kills before, and goes if it is of another.
func (l *Linker) Arm(t Trial) {
	var err error
	if t != (Trial{}) {
		err = l.state.WriteJSON(trialName, savedTrial{trialVersion, t.Hash.Hex(), t.Step, t.Kills, t.PutOff, bootID()})
		if err != nil && !l.unrecorded {
			l.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
		}
		l.unrecorded = err != nil
	}
	if t == (Trial{}) || err != nil && !t.continues(readTrial(l.state)) {
		if err := l.state.Root.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.log.Warn("record of a trial not removed", "error", files.Cause(err))
		}
	}
}

// continues reports a trial of the generation of one that was recorded, with no fewer kills.
func (t Trial) continues(before Trial) bool { return before.Hash == t.Hash && before.Kills <= t.Kills }

// readTrial reads the record of the trial in which a former confit was killed. A
// record that can't be trusted counts as none. So does one from before the node
// started: it says nothing of the generation.
func readTrial(s *statedir.Dir) Trial {
	data, err := s.ReadTrusted(trialName)
	var r savedTrial
	if err != nil || json.Unmarshal(data, &r) != nil || r.Version != trialVersion {
		return Trial{}
	}
	if boot := bootID(); r.Boot != "" && boot != "" && r.Boot != boot {
		return Trial{}
	}
	return Trial{files.ParseHash(r.Hash), r.Step, r.Kills, r.PutOff}
}

// excused is a record without the kill that it counts last: confit was killed while a try ran,
// which is likelier to have needed the memory.
func (t Trial) excused() Trial {
	if t.Kills--; t.Kills <= 0 {
		return Trial{}
	}
	return t
}

// bootID changes with each start of the kernel, see random(4).
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})
