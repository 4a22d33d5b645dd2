package supervisor

import (
	"fmt"
	"time"

	"confit/notify"
	"confit/supervisor/app"
	"confit/supervisor/hooks"
)

// prove waits until the app has shown that it can live with the generation in force, since it has
// begun:
//   - It must not exit within the probation.
//   - The verify hook, if there is one, must succeed, and once more when the
//     probation is over.
//   - An app that announced READY=1 must say it.
//
// After a roll back only the app is in doubt, not the generation.
func (t *transition) prove() {
	if t.degraded != "" {
		return // nobody knows which generation is in force
	}
	from := t.now
	if t.phase == beginning {
		from = t.app.Entry.Begun
	}
	t.proof = proof{until: from.Add(t.config.Probation)}
	switch inDoubt := t.generationInDoubt() || t.appInDoubt(); {
	case !t.app.Runs():
		t.drain(app.StartAgain)
	case inDoubt && t.beginsFirst():
		t.enter(beginning, t.config.Rescan)
	case inDoubt:
		t.enterUntil(proving, noDeadline)
		t.expectReady()
		if t.verifies() {
			t.verifyUntilItSucceeds()
		} else {
			t.nextProof()
		}
	case t.exposure.published():
		t.accept(alreadyStored)
	default:
		t.endTransaction()
	}
}

// expectReady waits for READY=1 when it was announced: by RELOADING=1 after the reload, or by an
// earlier start at which the app said it.
func (t *transition) expectReady() {
	if t.app.MayBeReady() && (!t.started && t.isWell() || t.app.SaysReady) && t.generationInDoubt() {
		t.proof.readyBy = t.now.Add(readyTimeout)
	}
}

// verifies reports whether the verify hook has to show that the app is well.
func (t *transition) verifies() bool { return len(t.config.Verify) > 0 && t.generationInDoubt() }

// verifyUntilItSucceeds runs the verify hook again and again, for as long as --verify-timeout says.
func (t *transition) verifyUntilItSucceeds() {
	t.proof.verifyBy = t.now.Add(t.config.VerifyTimeout)
	t.verify()
}

func (t *transition) verifyHook() hooks.Hook {
	return hooks.New("verify", t.config.Verify, t.config.VerifyTimeout)
}

func (t *transition) verify() {
	t.proof.attempted, t.deadline = t.now, t.proof.verifyBy
	t.runHook(t.verifyHook())
}

// verifyEnded is the end of one attempt of the verify hook.
func (t *transition) verifyEnded(err error, tail string) {
	switch {
	case err == nil:
		t.proof.verifyBy = time.Time{}
		t.nextProof()
	case t.over(t.proof.verifyBy.Add(-verifyPause)): // another attempt would come too late
		t.fail("verify", err, tail)
	default:
		t.deadline = t.now.Add(verifyPause)
	}
}

// nextProof begins the next part of the proof, when its time has come.
func (t *transition) nextProof() {
	switch {
	case t.isDue(t.proof.verifyBy): // the timer came late
		t.fail("verify", t.verifyHook().Errorf("did not succeed within %v", t.config.VerifyTimeout), "")
	case t.proof.verifying():
		t.verify()
	case !t.over(t.proof.until):
		t.deadline = t.proof.until
	case t.unready() && !t.over(t.proof.readyBy):
		t.deadline = t.proof.readyBy
	case t.unready():
		t.fail("ready", fmt.Errorf("the app announced READY=1 and did not say it within %v", readyTimeout), "")
	case t.verifies() && t.proof.attempted.Before(t.proof.until): // the old worker may have answered it
		t.verifyUntilItSucceeds()
	default:
		if t.leftAtHUP {
			t.onApp().RestartFromNowOn()
		}
		if t.generationInDoubt() {
			t.accept(t.provedBy())
		} else {
			t.endTransaction()
		}
	}
}

// unready reports that the app has not yet said the READY=1 that it announced.
func (t *transition) unready() bool { return !t.proof.readyBy.IsZero() && !t.app.IsReady() }

// The app says something of itself by sd_notify(3). A proof that waited for that goes on.
func (e heard) take(t *transition) {
	m := e.message
	if m.State == notify.Ready && e.itself {
		(began{t.now}).take(t)
	}
	t.onApp().Heard(m, e.itself)
	waits := t.phase == proving && !t.hook && !t.proof.verifying()
	if m.State == notify.Reloading && t.phase == proving && !t.started && t.proof.readyBy.IsZero() {
		t.expectReady()
	}
	if !t.proof.readyBy.IsZero() {
		t.proof.readyBy = later(t.proof.readyBy, t.now.Add(time.Duration(m.ExtendMicroseconds)*time.Microsecond))
	}
	if waits {
		t.nextProof()
	}
}
