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
	stale := t == (Trial{})
	if !stale {
		err := l.state.WriteJSON(trialName, savedTrial{trialVersion, t, bootID()})
		if err != nil {
			before := readTrial(l.state)
			stale = before.Hash != t.Hash || before.Kills > t.Kills
		}
		if err != nil && !l.unrecorded {
			l.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
		}
		l.unrecorded = err != nil
	}
	if stale {
		if err := l.state.Top.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.log.Warn("record of a trial not removed", "error", files.Cause(err))
		}
	}
}

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

// bootID changes with each start of the kernel, see random(4).
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})
