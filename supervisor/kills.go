package supervisor

import (
	"log/slog"

	"confit/linker"
)

// What follows from it that confit was killed while it tried a candidate.

// mayBeDeadly reports that confit was killed with the candidate, and that the app isn't started yet.
func (t *transition) mayBeDeadly() bool {
	return t.kills() > 0 && t.neverStarted() && !t.isAccepted()
}

func (t *transition) killKeys() []any {
	return []any{"hash", t.candidate.Hash, "step", t.trials.Former.Step, "kills", t.kills(), "suspects", t.trials.Former.Suspects}
}

// putOff starts the app on something else first: then the candidate is tried once more, as a change, at the next look. An app that was
// started this moment may not know what to do with a reload. If confit is killed before that look, the next one doesn't put the candidate
// off again: it may be what mends the other.
func (t *transition) putOff() {
	wait := t.putOffWait()
	t.putOffBy = t.now.Add(wait)
	t.Say(slog.LevelWarn, "candidate put off until the app runs: confit was killed with it", append(t.killKeys(), "live", t.standing(), "nextTry", wait)...)
	t.changeWaits()
	t.trials.Former.PutOff = true
	t.recordTrial()
	t.fingerprint = "" // the next look stages it again
	t.noteSetback(exit{}, true)
	t.dropCandidate()
}

// sayTriedAgain says why a candidate isn't put off.
func (t *transition) sayTriedAgain() {
	why := "trying again what confit was killed with: there is nothing else to start on"
	if t.trials.Former.PutOff {
		why = "trying again what confit was killed with: it was put off before"
	}
	t.Say(slog.LevelWarn, why, t.killKeys()...)
}

// noteUnrun takes up that the renderer isn't run on the accepted keys, as confit was killed in that.
func (t *transition) noteUnrun(c linker.Candidate) {
	reason := ""
	if c.Unrun {
		reason = "confit was killed while the renderer ran on what is accepted: the files that it made before are used"
	}
	if t.complaints.isNew(rerendering, reason) {
		t.Say(slog.LevelWarn, "renderer not run", "reason", reason)
	}
}
