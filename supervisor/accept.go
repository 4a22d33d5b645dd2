package supervisor

import (
	"time"

	"confit/linker"
	"confit/supervisor/app"
	"confit/supervisor/outcomes"
	"confit/supervisor/verdict"
)

// endTransaction ends a transaction: an app that died meanwhile is started again, what is left to
// do is done, and a change that came in meanwhile is looked at.
func (t *transition) endTransaction() {
	if t.watched && t.readBy.IsZero() { // nobody asks any more, as of an app that is gone
		t.watched = false
		t.assign(unwatchOpens{})
	}
	t.renew(transaction{}) // the list of changes may be long
	if !t.app.Runs() {
		t.drain(app.StartAgain)
		return
	}
	t.enterUntil(running, noDeadline)
	t.tidy()
	t.warnUnread()
	t.repairInForce()
	if t.pending || t.isDue(t.asksAt()) {
		t.settle()
	} else {
		t.deadline = t.nextLook()
	}
}

// nextLook is the next rescan, or what is due before it. A try that was due while something else
// was done, or that the system refused, waits anew: one that stayed due would be tried again at
// once, for as long as a disk is full.
func (t *transition) nextLook() time.Time {
	t.confirm()
	t.postpone()
	return earliest(t.now.Add(t.config.Rescan), t.readBy, t.confirmedAt(), t.asksAt(), t.rejected.TryBy(),
		t.killed.TryBy(), t.doubted.TryBy())
}

// warnUnread warns when nothing was opened in time. That is no reason for a roll back: an app may
// read its files when it needs them.
func (t *transition) warnUnread() {
	if !t.isDue(t.readBy) {
		return
	}
	t.noteRead(false)
	t.Warn("app has not opened what changed", "generation", t.accepted().Number, "waited", readWait,
		"todo", "find out what makes it read its configuration, and write reload restart, signal:NAME or exec:COMMAND")
}

// repairInForce has put right what others have changed of the accepted generation and its links, as
// often as --rescan says. It doesn't wait for a rescan: where somebody writes to a plain volume all
// the time, each hint begins the wait for one anew.
func (t *transition) repairInForce() {
	if t.over(t.repairBy) {
		t.repairBy = t.now.Add(t.config.Rescan)
		t.assign(repair{number: t.accepted().Number})
	}
}

// provedBy is what showed that the app can live with the generation.
func (t *transition) provedBy() string {
	switch {
	case len(t.config.Verify) > 0:
		return "verify"
	case t.config.Probation > 0:
		return "probation"
	}
	return "none"
}

// accept makes the generation in force the one to go back to.
func (t *transition) accept(proof string) {
	before, asked := *t.accepted(), t.outcomes.Question() == hexOf(t.candidate.Shared)
	if t.exposure.published() {
		t.decide(outcomes.Accepted, t.candidate.Shared, "", "")
	}
	t.makeAccepted(t.started || !t.isWell())
	if asked && t.exposure.published() {
		t.watchAccepted()
	}
	if *t.accepted() != before && (!t.ladder.IsDown() || t.accepted().Fallback) {
		t.pendingProof = proof
	}
	t.do(inspect{t.app.PID})
	t.endTransaction()
}

// makeAccepted makes the generation in force the accepted one. If it comes from the volumes, no
// verdict stands any more.
func (t *transition) makeAccepted(started bool) {
	g, r := t.inForce(), t.accepted()
	switch {
	case g.Hash == r.Hash:
		g.AcceptedAt = r.AcceptedAt
		r.Generation, r.Started = g, r.Started || started
	case t.candidate.Fallback && t.ladder.IsDown(): // it is the last rung
		*r = linker.Rung{Generation: g, Started: started}
	default:
		above := t.ladder.Above()
		t.onLadder().Accepted(g, started)
		if !g.Fallback && !t.died.IsLike(g.Inputs, g.Shared) {
			t.forgetDied()
		}
		t.rejectAbove(above)
	}
	if t.isUnproved() && t.rejected.IsOf(r.Inputs) { // it is proved at last
		t.lift()
	}
	t.untidy = true
	t.trust()
	if t.exposure.published() {
		t.rebase(t.candidate.Changes)
		t.tried = nil
		if !t.candidate.Fallback { // else the mounted configuration stays what it is: rejected, or put off
			t.decided()
			if !t.candidate.Unrun { // the renderer may still have killed confit
				t.forgetKills()
			}
			t.lift()
		}
	}
}

// stayUnaccepted goes on with a generation that was not proved, as there is nothing to go back to.
// It isn't noted: the next start proves it anew. Until then it counts as rejected.
func (t *transition) stayUnaccepted(step string, reason error, tail string) {
	t.Error("generation not proved, and none was accepted before: it stays", "step", step,
		"reason", reason.Error(),
		"generation", t.candidate.Number, "hash", t.candidate.Hash, "todo", t.todo(step, reason))
	t.decide(outcomes.Rejected, t.candidate.Shared, step, reason.Error())
	v := t.verdictOn(step, reason, tail)
	t.tellRejected(v)
	t.stayUnproved(v)
}

// stayUnproved goes on with what was rejected, and is in force.
func (t *transition) stayUnproved(v *verdict.Verdict) {
	t.makeAccepted(false)
	t.againstUnproved(v)
	t.liftMounted()
	t.endTransaction()
}

// An app that works inside a generation is warned of: the directory is removed together with the
// generation.
func (inside) take(t *transition) {
	if t.inside != t.app.PID && t.app.Runs() {
		t.inside = t.app.PID
		t.Warn("app's working directory is inside a generation: it won't find the next one there",
			"pid", t.app.PID,
			"todo", "start it in another directory, and let it open its files by their absolute paths")
	}
}

// becomeMounted notes that the mounted configuration has come to equal the accepted fallback.
func (t *transition) becomeMounted() {
	t.forgetKills()
	t.accepted().Fallback = false
	t.live = t.sinceNow(t.accepted().Generation)
}
