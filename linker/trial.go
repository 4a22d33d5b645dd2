package linker

import (
	"encoding/json"
	"errors"
	"io/fs"
)

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

// readTrial takes up the record of the trial in which a former confit was
// killed. One that can't be trusted is none.
func (l *Linker) readTrial() {
	l.trial = trial{}
	data, err := l.state.readTrusted(trialName)
	var t trial
	if err == nil && json.Unmarshal(data, &t) == nil && t.Version == trialVersion {
		l.trial = t
	}
}

// kills is how often a confit was killed while it proved a generation.
func (l *Linker) kills(g *generation) int {
	if l.trial.Hash != g.Hash.Hex() || l.proven(g) {
		return 0
	}
	return l.trial.Kills
}

// proven reports whether an app that was started on a generation has survived.
func (l *Linker) proven(g *generation) bool {
	return l.live != nil && l.live.survived && l.live.Hash == g.Hash
}

// beginTrial records that the candidate is being proved. That this can't be
// recorded must not keep a change from being published.
func (l *Linker) beginTrial(g *generation) {
	if l.proven(g) {
		l.endTrial()
		return
	}
	t := trial{Version: trialVersion, Hash: g.Hash.Hex(), Kills: l.kills(g) + 1}
	l.proving = true
	if err := l.state.writeJSON(trialName, t); err != nil {
		if !l.unrecorded {
			l.log.Warn("trial not recorded: a confit that is killed in it tries this generation once more", "error", err)
		}
		l.unrecorded = true
		return
	}
	l.unrecorded = false
}

// endTrial removes the record: an end that confit saw is no kill.
func (l *Linker) endTrial() {
	l.proving, l.trial = false, trial{}
	if err := l.state.root.Remove(trialName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.log.Warn("record of a trial not removed", "error", cause(err))
	}
}

// AbandonTrial ends the trial of what was published without a verdict: a confit
// that is killed from now on was asked to stop. A candidate that was refused
// unpublished, for having killed a confit too often, keeps its record: the next
// confit refuses it as well.
func (l *Linker) AbandonTrial() {
	if l.proving {
		l.endTrial()
	}
}
