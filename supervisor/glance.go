package supervisor

import (
	"log/slog"

	"confit/linker"
)

// No other edit is staged while a proof waits for the app to begin. But what is mounted is looked
// at, so that people see that it came.

// glance looks at what is mounted beside the generation in force.
func (t *transition) glance() {
	t.lookBy()
	t.assign(glance{t.inForce().Number, t.accepted().Number})
}

// glanceSoon does so after some quiet: each look reads all keys.
func (t *transition) glanceSoon() {
	t.pending = true
	if wait := t.settleTime(t.config); wait > 0 {
		t.deadline = earliest(t.deadline, t.now.Add(wait))
	} else {
		t.glance()
	}
}

func (e glanced) take(t *transition) {
	switch {
	// which may yet reject what is mounted
	case t.phase != beginning || e.inForce != t.inForce().Number || t.held != nil:
	case e.err != nil:
		t.reportSystemError(e.err)
	default:
		t.complaints[applying] = ""
		t.noteGlance(e.candidate)
	}
}

// noteGlance notes what is mounted, under the hash that it has already where it was rendered. An
// edit waits if it isn't in force, and was not rejected before.
func (t *transition) noteGlance(c linker.Candidate) {
	was, hash, keys, waits := t.mounted, hexOf(c.Hash), sums(c.Changes), true
	switch m := t.rejected; {
	case c.Inputs == t.inForce().Inputs:
		hash, waits = hexOf(t.inForce().Hash), false
	case c.Inputs == t.accepted().Inputs:
		hash = hexOf(t.accepted().Hash)
	case t.isAbout(m, c.Generation):
		hash, keys, waits = m.Hash, m.Keys, false
	}
	t.found(hash, hexOf(c.Shared), keys)
	isNew := was != t.mounted
	if isNew {
		t.pending = true
		t.forgetLook()
	}
	if !waits {
		t.waits, t.warned = noDeadline, false
		if !t.unacceptedInForce() {
			t.decided()
		}
		return
	}
	t.changeWaits()
	if hash != "" && t.app.IsAtWork() && (isNew || t.waits.IsZero()) {
		t.waits = earliest(t.waits, t.now)
		t.sayWaits(slog.LevelInfo, c.Hash)
	}
	t.warnWaits(c.Hash)
	t.lookBy()
}
