package supervisor

import (
	"errors"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/outcomes"
)

// The steps of a candidate, as docs/internals/design.md numbers them: stage, render, validate,
// splay, publish.

// stageEnded is the linker's look at the volumes: it found nothing new, a candidate, or what can't
// be one. Or the linker has recorded the trial of a candidate.
func (t *transition) stageEnded(e event) {
	switch e := e.(type) {
	case recorded:
		t.runFirstHook()
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
	if t.fingerprint = print; fresh {
		t.fingerprint = ""
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
	switch {
	case t.isAccepted() && !t.neverStarted():
		t.liveAgain()
	case t.isKnownBad():
		t.complaints[applying] = ""
		t.discard()
		t.endTransaction()
	case t.ladder.WasTried(t.candidate.Generation): // the app is on a lower rung
		t.decided()
		t.dropCandidate()
	case t.isRemembered():
		t.reject(stepSoak, errors.New("the app died of it after it was accepted"), "")
	case t.isAccepted() && t.onLadder().DiedTooOften():
		t.goDownKilled()
	case t.kills() >= maxKills && !t.isLast() && !t.isAccepted(): // there is something else to start on
		t.reject(t.killed.Step, t.tooOften(), "")
	case t.mayBeDeadly() && !t.isLast() && !t.killed.PutOff:
		t.putOff()
	case t.waitsForOther():
		t.changeWaits()
		t.discard()
		t.endTransaction()
	case slower && t.app.Runs():
		t.settleAgain()
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

// compareFallback refuses just what was taken back.
func (t *transition) compareFallback(splay time.Duration) {
	if t.isKnownBad() || t.ladder.WasTried(t.candidate.Generation) {
		t.reject("stage", errors.New("it is what was rejected"), "")
	} else {
		t.tryCandidate(splay)
	}
}

// settleAgain has the volumes looked at once more, after quiet: a candidate of what turns out to be
// written file by file may be torn.
func (t *transition) settleAgain() {
	t.fingerprint, t.pending = "", true
	t.discard()
	t.endTransaction()
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
		t.runFirstHook()
		return
	}
	t.recorded = now
	t.order(staging, assign{record{now.Record(), true}})
}

// runFirstHook goes on with a candidate whose trial is recorded.
func (t *transition) runFirstHook() {
	switch {
	case t.candidate.Unrendered:
		t.runIn(rendering) // all that follows is about the files, too
	case t.validatesBefore() && !t.isAccepted():
		t.runIn(validating)
	default:
		t.pass()
	}
}

// validateEnded is the end of the validate hook. What it did to a candidate that is published
// already is looked at now. It has opened that, too: who does from now on counts.
func (t *transition) validateEnded(err error, tail string) {
	switch {
	case err != nil:
		t.reject("validate", err, tail)
	case t.exposure.published():
		t.order(publishing, publish{number: t.candidate.Number, watch: t.toBeRead(), shown: true})
	default:
		t.pass()
	}
}

// splay waits before the app is reloaded, if it is to be reloaded at all. A swap in that time
// supersedes the candidate, and doesn't wait anew.
func (t *transition) splay() {
	if !t.app.Runs() || t.reloadAction.Kind == config.None || t.over(t.splayBy) {
		t.passGate()
		return
	}
	t.pauseTrial()
	t.phase, t.deadline = splaying, t.splayBy
}

func (t *transition) publishEnded(e event) {
	switch e := e.(type) {
	case published:
		if t.tries() {
			t.endNow(exit{})
			return
		}
		wasShown := t.exposure.published() // and its validator has passed
		if t.watched = e.watched; !wasShown {
			t.exposure, t.readBy = visible, time.Time{}
			if !t.candidate.Fallback { // what is mounted waits still
				t.complaints[applying] = ""
			}
			t.live = t.sinceNow(t.candidate.Generation)
			t.Info("generation published", about(t.candidate.Generation,
				"changed", named(t.candidate.Changes))...)
		}
		if !wasShown && t.validatesAfter() && !t.isAccepted() {
			t.runIn(validating)
			return
		}
		t.exposure = read
		t.makeAppRead()
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
		t.exposure, t.fingerprint = visible, "" // in part, perhaps
		t.systemRefused("publish", e.err)
	}
}

// renderEnded is the end of the renderer. The linker looks at what it did, and takes its files up.
func (t *transition) renderEnded(err error, tail string) {
	if err != nil {
		t.reject("render", err, tail)
		return
	}
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
		t.fingerprint = ""
		t.systemRefused("render", e.err)
	}
}
