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

// trial is trial.json, which is there while a generation is being proved: how
// often a confit was killed while it proved one of this hash, should it be
// killed now. So nothing has to be written after a kill for it to count.
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
	running    bool  // there is one of this confit's
	unrecorded bool  // that it could not be recorded was said
}

// read takes up the record of the trial in which a former confit was killed.
// One that can't be trusted is none.
func (t *trials) read() {
	t.former = trial{}
	data, err := t.state.readTrusted(trialName)
	var former trial
	if err == nil && json.Unmarshal(data, &former) == nil && former.Version == trialVersion {
		t.former = former
	}
}

// kills is how often a confit was killed while it proved a generation.
func (t *trials) kills(g Hash) int {
	if t.former.Hash != g.Hex() {
		return 0
	}
	return t.former.Kills
}

// begin records that a generation is being proved. That this can't be recorded
// must not keep a change from being published.
func (t *trials) begin(g Hash) {
	t.running = true
	if err := t.state.writeJSON(trialName, trial{Version: trialVersion, Hash: g.Hex(), Kills: t.kills(g) + 1}); err != nil {
		if !t.unrecorded {
			t.log.Warn("trial not recorded: a confit that is killed in it tries this generation once more", "error", err)
		}
		t.unrecorded = true
		return
	}
	t.unrecorded = false
}

// end removes the record: an end that confit saw is no kill.
func (t *trials) end() {
	t.running, t.former = false, trial{}
	if err := t.state.root.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.log.Warn("record of a trial not removed", "error", cause(err))
	}
}
