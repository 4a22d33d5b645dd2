package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/notify"
)

// noDeadline is for a phase that doesn't end by itself.
var noDeadline time.Time

// prove waits until the app has shown that it can live with the generation that
// is in force. It must not exit within the probation; the verify hook, if there
// is one, must succeed, and once more when the probation is over; and an app
// that announced READY=1 must say it. After a roll back only the app is in
// doubt, not the generation.
func (t *transition) prove() {
	t.trial = trial{until: t.now.Add(t.config.Probation)}
	switch {
	case t.app.pid == 0:
		t.drain()
	case t.generationInDoubt(), t.appInDoubt():
		t.phase = proving
		t.expectReady()
		t.verifyFirst()
	case t.visible:
		t.accept(alreadyStored)
	default:
		t.rest()
	}
}

// expectReady waits for READY=1 when it was announced: by RELOADING=1 after the
// reload, or by an earlier start at which the app said it.
func (t *transition) expectReady() {
	if t.readiness == begun && (!t.started || t.saysReady) && t.generationInDoubt() {
		t.trial.readyBy = t.now.Add(readyTimeout)
	}
}

// heard is what the app says of itself, sd_notify(3).
func (t *transition) heard(m notify.Message) {
	if m.HasStatus {
		t.seen.app.Text = m.Status
	}
	waits := t.phase == proving && !t.hook && t.trial.verifyBy.IsZero()
	switch {
	case m.State == notify.Reloading:
		t.readiness = begun
		if t.phase == proving && !t.started && t.trial.readyBy.IsZero() {
			t.expectReady()
		}
	case m.State == notify.Ready && t.readiness == begun:
		t.readiness, t.saysReady = ready, true
	}
	if !t.trial.readyBy.IsZero() {
		t.trial.readyBy = later(t.trial.readyBy, t.now.Add(time.Duration(m.ExtendMicroseconds)*time.Microsecond))
	}
	if waits {
		t.goOn()
	}
}

// verifies reports whether the verify hook has to show that the app is well.
func (t *transition) verifies() bool { return len(t.config.Verify) > 0 && t.generationInDoubt() }

func (t *transition) verifyFirst() {
	if t.verifies() {
		t.verifyUntil(t.now.Add(t.config.VerifyTimeout))
	} else {
		t.goOn()
	}
}

// verifyUntil begins a round of the verify hook, which is asked until it
// succeeds.
func (t *transition) verifyUntil(deadline time.Time) {
	t.trial.verifyBy = deadline
	t.trial.failure = fmt.Errorf("hook did not succeed within %v", t.config.VerifyTimeout)
	t.verify()
}

func (t *transition) verify() {
	t.trial.asked, t.deadline = t.now, t.trial.verifyBy
	t.run(t.config.Verify)
}

// goOn is the next part of the proof, when its time has come.
func (t *transition) goOn() {
	over := func(by time.Time) bool { return !t.now.Before(by) }
	unready := !t.trial.readyBy.IsZero() && t.readiness != ready
	switch verifying := !t.trial.verifyBy.IsZero(); {
	case t.hook:
		t.expire()
	case verifying && over(t.trial.verifyBy):
		t.fail("verify", t.trial.failure, t.trial.tail)
	case verifying:
		t.verify()
	case !over(t.trial.until):
		t.deadline = t.trial.until
	case unready && !over(t.trial.readyBy):
		t.deadline = t.trial.readyBy
	case unready:
		t.fail("ready", fmt.Errorf("the app announced READY=1 and did not say it within %v", readyTimeout), "")
	case t.verifies() && t.trial.asked.Before(t.trial.until): // it may have asked the old worker
		t.verifyUntil(t.now.Add(t.config.VerifyTimeout))
	default:
		t.proved()
	}
}

// verified is the end of one attempt of the verify hook.
func (t *transition) verified(err error, tail string) {
	switch {
	case t.app.pid == 0: // the hook was killed because of that
		t.recoverFromExit()
	case err == nil:
		t.trial.verifyBy = time.Time{}
		t.goOn()
	case t.expired || !t.now.Before(t.trial.verifyBy):
		t.fail("verify", err, tail)
	default:
		t.trial.failure, t.trial.tail = err, tail
		t.deadline = earlier(t.now.Add(verifyPause), t.trial.verifyBy)
	}
}

// fail ends a proof that went wrong: what is to blame is taken back.
func (t *transition) fail(step string, reason error, tail string) {
	if t.suspect() == theAccepted {
		t.rejectAccepted(step, reason, tail)
	} else {
		t.reject(step, reason, tail)
	}
}

// proved ends a proof that went well.
func (t *transition) proved() {
	if t.leftAtHUP {
		t.restartFromNowOn()
	}
	if t.generationInDoubt() {
		t.accept(t.proof())
	} else {
		t.rest()
	}
}

// alreadyStored is the proof of a generation that was accepted before.
const alreadyStored = "stored"

// proof is what has shown that the app can live with the generation.
func (t *transition) proof() string {
	switch {
	case len(t.config.Verify) > 0:
		return "verify"
	case t.config.Probation > 0:
		return "probation"
	}
	return "none"
}

// accept makes what is in force the generation to go back to.
func (t *transition) accept(proof string) {
	before := t.accepted
	t.makeAccepted(t.started && t.generationInDoubt())
	t.recordProof(proof)
	if t.accepted != before {
		t.unstored = proof
	}
	t.do(inspect{t.app.pid})
	t.rest()
}

// makeAccepted makes what is in force what is gone back to from now on. If that
// is what is mounted, no rejection stands any more.
func (t *transition) makeAccepted(survived bool) {
	t.do(accept{survived})
	t.accepted = t.accepted.Next(t.inForce(), survived)
	t.untidy = true
	if t.visible {
		t.refused, t.retry = false, retry{}
		t.recordEnd()
	}
}

// stored is the answer to store. That a generation was accepted is said only
// now: a container that is killed right after the line goes back to it.
func (t *transition) stored(e stored) {
	switch {
	case e.generation != t.accepted.Generation || t.unstored == "": // it isn't the newest
	case e.err == nil:
		t.unstored, t.storeTrouble = "", ""
		if e.proof != alreadyStored {
			t.say(slog.LevelInfo, "generation accepted", "generation", e.generation.Number, "hash", e.generation.Hash, "proof", e.proof)
		}
		if t.phase == running {
			t.keepHouse()
		}
	case e.err.Error() != t.storeTrouble:
		t.storeTrouble = e.err.Error()
		t.say(slog.LevelWarn, "accepted generation not stored: a container that restarts can't fall back on it",
			"generation", e.generation.Number, "error", t.storeTrouble, "nextTry", t.config.Rescan)
	}
}

// keepHouse does what is left to do after a transaction: what was accepted is
// written down, again until that works; only then its predecessor is removed.
func (t *transition) keepHouse() {
	switch {
	case t.unstored != "":
		t.do(store{t.accepted.Generation, t.unstored})
	case t.untidy:
		t.untidy = false
		t.do(tidy{})
	}
}

// keep goes on with a generation that was not proved, as there is nothing to go
// back to. It isn't stored: the next start proves it anew.
func (t *transition) keep(step string, reason error) {
	t.say(slog.LevelError, "generation not proved, and none was accepted before: it stays", "step", step, "reason", reason.Error(),
		"generation", t.candidate.Number, "hash", t.candidate.Hash, "todo", "mend the configuration: the next change is tried")
	t.makeAccepted(false)
	t.rest()
}
