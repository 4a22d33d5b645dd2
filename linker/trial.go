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
const trialVersion = 3

// The steps of a trial.
const (
	StepHooks   = "hooks"   // hooks make or check the candidate, which nobody else reads
	StepPublish = "publish" // it is about to be published, or is, until an app has proved that it can live with it
)

// Trial says that confit may be killed by a generation now. The zero value is no trial.
type Trial struct {
	Hash  Hash   `json:"hash"`  // of what comes from volumes: a renderer may never make the same twice
	Step  string `json:"step"`  // what it goes through
	Kills int    `json:"kills"` // how often that will have happened if confit is killed now: nothing is written after it

	Suspects string `json:"suspects"`         // who may need too much memory in that step: "render, validate"
	PutOff   bool   `json:"putOff,omitempty"` // that was its last trial, and since then something else came first
}

// savedTrial is the file trial.
type savedTrial struct {
	Version int `json:"version"`
	Trial
	Boot string `json:"boot"` // the kernel's boot_id; "": not known
}

// RecordTrial records a trial, for the next confit if this one is killed. No trial removes the record, by unlink(2) alone, which
// a full disk doesn't refuse. A trial that can't be recorded isn't one: the record stays if it is of the same generation, as it
// counts the kills before, and goes if it is of another.
func (l *Linker) RecordTrial(t Trial) {
	var err error
	if t != (Trial{}) {
		err = l.state.WriteJSON(trialName, savedTrial{trialVersion, t, bootID()})
		if err != nil && !l.unrecorded {
			l.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
		}
		l.unrecorded = err != nil
	}
	if t == (Trial{}) || err != nil && !t.continues(readTrial(l.state)) {
		if err := l.state.Top.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.log.Warn("record of a trial not removed", "error", files.Cause(err))
		}
	}
}

// continues reports a trial of the generation of one that was recorded, with no fewer kills.
func (t Trial) continues(before Trial) bool { return before.Hash == t.Hash && before.Kills <= t.Kills }

// readTrial reads the record of the trial in which a former confit was killed. One that can't be trusted counts as none. So does
// one from before the node started: it says nothing of the generation.
func readTrial(s *statedir.Dir) Trial {
	data, err := s.ReadTrusted(trialName)
	var r savedTrial
	if err != nil || json.Unmarshal(data, &r) != nil || r.Version != trialVersion {
		return Trial{}
	}
	if boot := bootID(); r.Boot != "" && boot != "" && r.Boot != boot {
		return Trial{}
	}
	return r.Trial
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
