package supervisor

import (
	"errors"
	"time"

	"confit/linker"
	"confit/supervisor/goal"
	"confit/supervisor/outcomes"
)

// The steps of a candidate, as docs/internals/design.md numbers them: stage, render, validate,
// splay, publish.

// stageEnded is the linker's look at the volumes: it found nothing new, a candidate, or what can't
// be one. Or the linker has recorded the trial of a candidate.
func (t *transition) stageEnded(e event) {
	switch e := e.(type) {
	case recorded:
		t.goOn()
	case failed:
		t.systemRefused("stage", e.err)
	case unchanged:
		if !t.killed.IsUnconfirmed() { // else it may be what was put off
			t.decided()
		}
		t.endTransaction()
	case staged:
		t.noteUnrun(e.candidate)
		if !e.candidate.Fallback {
			t.noteLook(e.candidate.Fingerprint, e.candidate.Fresh, e.candidate.Shared)
		}
		t.compareCandidate(e)
	case invalid:
		t.candidate.Changes, t.untidy = e.changes, true
		if !t.candidate.Fallback {
			t.noteLook(e.seen, false, linker.Hash{})
			t.found("", "", sums(e.changes))
		}
		t.reject("stage", e.reason, "")
	}
}

// noteLook notes what a look at the volumes saw. Where a key may have changed once more, unseen,
// the next look compares the bytes. A gate that was asked about something else needn't answer.
func (t *transition) noteLook(print linker.Fingerprint, fresh bool, shared linker.Hash) {
	t.fingerprint = print
	if fresh {
		t.forgetLook()
	}
	if t.outcomes.Question() != hexOf(shared) {
		t.answer(outcomes.Superseded)
	}
}

// compareCandidate compares a candidate with the live generation and with the rejected
// configuration.
func (t *transition) compareCandidate(e staged) {
	slower := t.writing != linker.FileByFile && e.candidate.Writing == linker.FileByFile
	t.candidate, t.reloadAction, t.writing = e.candidate, e.reloadAction, e.candidate.Writing
	if t.candidate.Fallback {
		t.compareFallback(e.splay)
		return
	}
	hash, keys := e.candidate.Hash.Hex(), sums(e.candidate.Changes)
	if t.isKnownBad() { // and isn't rendered again
		t.follow()
		hash, keys = t.rejected.Hash, t.rejected.Keys
	}
	t.found(hash, e.candidate.Shared.Hex(), keys)
	t.asks = t.mayAsk()
	switch known, otherwise := t.mount(); {
	case t.isAccepted() && !t.neverStarted():
		t.liveAgain()
	case t.goal(known) != goal.Mounted:
		otherwise()
	case slower && t.app.Runs(): // what turns out to be written file by file may be torn
		t.stageAgain()
	default:
		if t.undecided.IsZero() && !t.isRetry { // what is tried again counts as rejected until it is accepted
			t.undecided = t.now
		}
		if t.mayBeDeadly() && t.risk.step == "" {
			t.sayTriedAgain()
		}
		t.tryCandidate(e.splay)
	}
}

// mount is what is known of the candidate, and what follows if that keeps it from being the goal.
func (t *transition) mount() (known goal.Mount, otherwise func()) {
	switch {
	case t.isKnownBad():
		return goal.Refused, t.refuseAgain
	case t.asks:
		return goal.Wanted, t.discard
	case t.ladder.WasTried(t.candidate.Generation): // which has led to a lower rung
		return goal.Refused, t.refuseAgain
	case t.isRemembered():
		return goal.Refused, func() { t.reject(stepSoak, errors.New("the app died of it after it was accepted"), "") }
	case t.isAccepted() && t.onLadder().DiedTooOften():
		return goal.Refused, t.goDownKilled
	case t.isAccepted():
		return goal.Wanted, t.discard
	case t.kills() >= maxKills:
		return goal.Bearable, func() { t.reject(t.killed.Step, t.tooOften(), "") }
	case t.mayBeDeadly() && !t.killed.PutOff:
		return goal.Bearable, t.putOff
	case t.waitsForOther():
		return goal.Refused, t.waitForOther
	}
	return goal.Wanted, t.discard
}

// refuseAgain drops a candidate that something stands against.
func (t *transition) refuseAgain() {
	t.decided()
	t.dropCandidate()
}

// passes goes on with a candidate that the validator has passed, unless just that was asked.
func (t *transition) passes() {
	if !t.asks {
		t.goOn()
		return
	}
	t.Warn("validator passes what the app died of: the bytes are to blame, and aren't started",
		about(t.candidate.Generation, "live", t.standing())...)
	t.refuseAgain()
}

// waitForOther drops a candidate that waits until the app has lived on something else.
func (t *transition) waitForOther() {
	t.changeWaits()
	t.dropCandidate()
}

// compareFallback refuses just what was taken back.
func (t *transition) compareFallback(splay time.Duration) {
	if t.isKnownBad() || t.ladder.WasTried(t.candidate.Generation) {
		t.reject("stage", errors.New("it is what was rejected"), "")
	} else {
		t.tryCandidate(splay)
	}
}

// isKnownBad reports that the candidate was rejected before, and isn't due to be tried again, or
// not by a reload.
func (t *transition) isKnownBad() bool {
	return t.isAbout(t.rejected, t.candidate.Generation) && (!t.isRetry || t.isRemembered())
}

// liveAgain ends a transaction whose candidate is the accepted generation: nothing is to be done.
func (t *transition) liveAgain() {
	if t.accepted().Fallback {
		t.becomeMounted()
	}
	if m := t.rejected; m != nil && (!t.isUnproved() || !m.IsOf(t.accepted().Inputs)) {
		t.Info("mounted configuration is live again", about(t.accepted().Generation)...)
	}
	t.liftMounted()
	t.decided()
	t.discard()
	t.endTransaction()
}

// tryCandidate goes on with a candidate that is new. The trial is recorded before the first hook
// runs on what isn't published.
func (t *transition) tryCandidate(splay time.Duration) {
	t.tried = t.sinceNow(t.candidate.Generation)
	if t.splayBy.IsZero() {
		t.splayBy = t.now.Add(splay)
	}
	if t.risk.step == "" && t.suspectsIn(linker.StepHooks) != "" {
		t.enterTrial(linker.StepHooks)
	}
	now := t.provisional()
	if t.risk.step == "" || now.Record() == t.recorded.Record() {
		t.goOn()
		return
	}
	t.recorded = now
	t.order(staging, assign{record{now.Record(), true}})
}

// checked looks at what the validator did to a candidate that is published already. It has opened
// that, too: who does from now on counts.
func (t *transition) checked() {
	if t.asks {
		t.passes()
		return
	}
	t.order(checking, publish{number: t.candidate.Number, watch: t.toBeRead(), shown: true})
}

// splay waits before the app is reloaded. A swap in that time supersedes the candidate, and doesn't
// wait anew.
func (t *transition) splay() {
	t.pauseTrial()
	t.deadline = t.splayBy
}

// makeRead makes the app read the candidate.
func (t *transition) makeRead() {
	t.exposure = read
	t.makeAppRead()
}

func (t *transition) publishEnded(e event) {
	switch e := e.(type) {
	case published:
		if t.tries() {
			t.endNow(exit{})
			return
		}
		t.watched = e.watched
		if !t.exposure.published() {
			t.exposure, t.readBy = visible, time.Time{}
			if !t.candidate.Fallback { // what is mounted waits still
				t.complaints[applying] = ""
			}
			t.live = t.sinceNow(t.candidate.Generation)
			t.Info("generation published", about(t.candidate.Generation,
				"changed", named(t.candidate.Changes))...)
		}
		t.goOn()
	case barred:
		t.onApp().Denied(e.err)
		t.reject("reload", e.err, "")
	case superseded:
		t.overtaken()
	case invalid:
		if !t.waits.IsZero() { // the entrypoint may have removed it
			t.overtaken()
		} else {
			t.reject(linker.StepHooks, e.reason, "")
		}
	case failed:
		if !t.waits.IsZero() && errors.Is(e.err, linker.ErrEmptied) {
			t.overtaken()
			return
		}
		t.exposure = visible // in part, perhaps
		t.forgetLook()
		t.systemRefused("publish", e.err)
	}
}

// rendered has the linker look at what the renderer did, and take its files up.
func (t *transition) rendered() {
	t.order(rendering, assign{complete{t.candidate.Number, t.accepted().Number}})
}

// completeEnded is the end of staging with a renderer. Only now it is known whether the candidate
// is new.
func (t *transition) completeEnded(e event) {
	switch e := e.(type) {
	case staged:
		e.candidate.Fallback, e.candidate.Writing = t.candidate.Fallback, t.candidate.Writing // of the look
		t.compareCandidate(e)
	case invalid:
		t.reject("render", e.reason, "")
	case failed:
		t.forgetLook()
		t.systemRefused("render", e.err)
	}
}
