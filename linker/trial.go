package linker

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
)

const trialName = "trial.json"

// trialVersion is the version of trial.json; see storedVersion.
const trialVersion = 2

// Steps that mean something to a trial. The others are named as their hooks.
const (
	StepRender    = "render"    // the candidate isn't rendered yet
	StepProbation = "probation" // it is published, and no hook works on it
)

// trial is trial.json, which is there while confit may be killed by a generation:
// while a hook runs that makes it or checks it, and from the publish on until it
// is proved. Kills is how often that will have happened if confit is killed now.
// So a kill counts although nothing is written after it.
type trial struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"` // of the generation; of its inputs, as long as it isn't rendered
	Step    string `json:"step"`
	Kills   int    `json:"kills"`
	Boot    string `json:"boot"` // the kernel's boot_id; "": not known
}

// trials keeps the record of trials.
type trials struct {
	state      *state
	log        *slog.Logger
	former     trial // in which a former confit was killed
	open       trial // of this confit; without a hash: none
	boot       string
	unrecorded bool // the warning was given
}

// read loads the record of the trial in which a former confit was killed. A
// record that can't be trusted counts as none. So does one from before the node
// started: it says nothing of the generation.
func (t *trials) read() {
	t.former, t.boot = trial{}, bootID()
	data, err := t.state.readTrusted(trialName)
	var former trial
	if err != nil || json.Unmarshal(data, &former) != nil || former.Version != trialVersion {
		return
	}
	if former.Boot == "" || t.boot == "" || former.Boot == t.boot {
		t.former = former
	}
}

// bootID changes with each start of the kernel, see random(4).
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// of is the record of the kills by a generation.
func (t *trials) of(g Hash) trial {
	if t.former.Hash != g.Hex() {
		return trial{}
	}
	return t.former
}

// begin records what a generation is going through. A change goes on even if that
// can't be recorded.
func (t *trials) begin(g Hash, step string) {
	next := trial{trialVersion, g.Hex(), step, t.of(g).Kills + 1, t.boot}
	if next == t.open {
		return
	}
	t.open = next
	err := t.state.writeJSON(trialName, next)
	if err != nil && !t.unrecorded {
		t.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
	}
	t.unrecorded = err != nil
}

// end removes the record: an end that confit has seen is no kill.
func (t *trials) end() {
	if t.open.Hash == t.former.Hash {
		t.former = trial{}
	}
	t.open = trial{}
	if err := t.state.root.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.log.Warn("record of a trial not removed", "error", cause(err))
	}
}

// endStep ends the trial of a step that is over. A kill in another step still
// counts: its record comes back.
func (t *trials) endStep() {
	if t.former.Kills > 0 && t.open.Hash == t.former.Hash && t.open.Step != t.former.Step {
		t.open = trial{}
		if t.state.writeJSON(trialName, t.former) == nil {
			return
		}
	}
	t.end()
}

// forget ends what there is: a generation with these inputs is accepted. That confit
// was killed while the renderer ran on them stays known.
func (t *trials) forget(inputs Hash) {
	if t.open.Hash == "" && t.of(inputs).Step == StepRender {
		return
	}
	t.former = trial{}
	t.end()
}
