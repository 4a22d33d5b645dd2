package linker

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
)

const trialName = "trial.json"

// trialVersion is the version of trial.json; see storedVersion.
const trialVersion = 1

// trial is trial.json, which is there while a generation is being proved. Kills
// is how often confit will have been killed while it proved that hash, if it is
// killed now. So a kill counts although nothing is written after it.
type trial struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"`
	Kills   int    `json:"kills"`
}

// trials keeps the record of trials.
type trials struct {
	state      *state
	log        *slog.Logger
	former     trial // in which a former confit was killed
	running    bool  // this confit is proving a generation
	unrecorded bool  // the warning was given
}

// read loads the record of the trial in which a former confit was killed. A
// record that can't be trusted counts as none.
func (t *trials) read() {
	t.former = trial{}
	data, err := t.state.readTrusted(trialName)
	var former trial
	if err == nil && json.Unmarshal(data, &former) == nil && former.Version == trialVersion {
		t.former = former
	}
}

// kills is how often confit was killed while it proved a generation.
func (t *trials) kills(g Hash) int {
	if t.former.Hash != g.Hex() {
		return 0
	}
	return t.former.Kills
}

// begin records that a generation is being proved. A change is published even
// if that can't be recorded.
func (t *trials) begin(g Hash) {
	t.running = true
	if err := t.state.writeJSON(trialName, trial{Version: trialVersion, Hash: g.Hex(), Kills: t.kills(g) + 1}); err != nil {
		if !t.unrecorded {
			t.log.Warn("trial not recorded: if confit is killed in it, that will not count", "error", err)
		}
		t.unrecorded = true
		return
	}
	t.unrecorded = false
}

// end removes the record: an end that confit has seen is no kill.
func (t *trials) end() {
	t.running, t.former = false, trial{}
	if err := t.state.root.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.log.Warn("record of a trial not removed", "error", cause(err))
	}
}
