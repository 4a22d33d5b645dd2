package supervisor

import (
	"confit/linker"
	"confit/supervisor/verdict"
)

// What follows from it that confit was killed while it tried a candidate, or that the app ended at
// its entrypoint.

// putOff starts the app on something else first: then the candidate is tried once more, as a
// change, at the next look. An app that was started this moment may not know what to do with a
// reload. If confit is killed before that look, the next one doesn't put the candidate off again:
// it may be what repairs the other.
func (t *transition) putOff() {
	keys := append(t.killKeys(), "live", t.standing())
	t.tryLater(t.killed.BehindOther())
	if t.killed.IsUnconfirmed() {
		t.Warn("candidate put off until the app has begun on something else: the app ended on it at its entrypoint, or confit was killed there", keys...)
	} else {
		t.Warn("candidate put off until the app runs: confit was killed with it", append(keys,
			"nextTry", t.putOffWait())...)
	}
	t.changeWaits()
	t.recordTrial()
	t.noteFailed(&verdict.Verdict{Bearable: true})
	t.dropCandidate()
}

// sayTriedAgain says why a candidate isn't put off.
func (t *transition) sayTriedAgain() {
	why := "trying again what confit was killed with: there is nothing else to start on"
	switch isPutOff, atEntry := t.killed.PutOff, t.killed.IsIn(linker.StepEntry); {
	case isPutOff && atEntry:
		why = "trying again what the app ended on at its entrypoint: it was put off before"
	case isPutOff:
		why = "trying again what confit was killed with: it was put off before"
	case atEntry:
		why = "trying again what the app ended on at its entrypoint: there is nothing else to start on"
	}
	t.Warn(why, t.killKeys()...)
}

// noteUnrun takes up that the renderer isn't run on the accepted keys, as confit was killed in
// that.
func (t *transition) noteUnrun(c linker.Candidate) {
	reason := ""
	if c.Unrun {
		reason = "confit was killed while the renderer ran on what is accepted: the files that it made before are used"
	}
	if t.complaints.isNew(rerendering, reason) {
		t.Warn("renderer not run", "reason", reason)
	}
}

// endOfEntrypoint ends confit as the app has ended at its entrypoint for the first time. That
// counts as if confit was killed there.
func (t *transition) endOfEntrypoint(own exit) {
	t.Warn("app ended at its entrypoint: the next container starts it on something else first",
		about(t.candidate.Generation, "lived", t.lived(), "live", t.standing(), "todo", entryEndTodo)...)
	t.endAtEntrypoint()
	t.endWith(own)
}

// entryEndTodo is what to do about the first such end.
const entryEndTodo = "see the script's log: once the app has begun on what is live the edit is tried again, and a second end there rejects it"
