package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
	"confit/supervisor/verdict"
)

// The app's exit has one of these reasons: confit or somebody else asked for it; HUP meant
// something else to the app; a generation is to blame; or confit ends, too.
func (e exited) take(t *transition) {
	own := exit{Code: t.onApp().ExitCode(e.Status)}
	switch how := t.onApp().Exited(&e.Exit, t.suspicion()); {
	case how == app.InStop:
		t.endWith(own)
	case how == app.InRestart:
		t.drain(t.app.Then)
	case how == app.Replaced:
		t.forgetRead()
		if t.phase == running && t.pending { // a change needn't wait any more
			t.settle()
		}
	case how == app.Stopped:
		t.passVerdict() // on the death of another app
		t.dropVerdict()
		t.endWith(own)
	case how == app.LeftAtHUP:
		t.Warn("app left at HUP: it is started again", "generation", t.inForce().Number)
		if t.blamesCandidate() { // as well: first the app has to live through a start on it
			t.leftAtHUP = true
		} else {
			t.onApp().RestartFromNowOn()
		}
		t.continueWithoutApp()
	case t.mayMiss(own):
		t.compareFirst(e.Status)
	default:
		t.blame(own, e.Status)
	}
}

func (t *transition) suspicion() app.Suspicion {
	switch {
	case !t.exposure.reached() || t.app.Phase != app.Probing && t.phase != proving && t.phase != beginning:
		return app.None
	case t.blamesCandidate():
		return app.OfNew
	case t.isLast():
		return app.OfFirst
	}
	return app.InProof
}

// continueWithoutApp goes on when the app is gone and confit stays. Phases that need the app end
// here; the others go on until they come to the app.
func (t *transition) continueWithoutApp() {
	if without := t.row().withoutApp; without != nil {
		without(t)
	}
}

// exitStopped is the exit code when TERM came before the app ran.
const exitStopped = 128 + int(signals.TERM)

// Every signal is the app's, but for a stop.
func (e signalled) take(t *transition) {
	if t.tries() {
		switch e.signal { // which end any program that has no handler for them
		case signals.TERM, signals.INT, signals.HUP, signals.QUIT, signals.PIPE:
			t.endWith(exit{Code: 128 + int(e.signal)})
		}
		return
	}
	if stop := t.onApp().Outside(e.signal); stop != 0 {
		t.stop(stop)
	}
	t.disarmMarked()
}

// disarmMarked takes up a signal by which the app may be meant to stop: nothing is to blame if it
// ends in time.
func (t *transition) disarmMarked() {
	if t.onApp().StopMarked() {
		t.disarm()
	}
}

// stop asks the app to stop, in whatever phase.
func (t *transition) stop(s signals.Signal) {
	t.Info("stop requested", "signal", signals.Name(s), "phase", t.shown().String())
	t.endHook()
	t.disarm()
	t.dropVerdict()
	switch {
	case t.app.IsEnding():
	case t.phase == telling:
		t.endNow(t.exit)
	case t.phase == comparing: // it has ended before
		t.endWith(exit{Code: t.onApp().ExitCode(t.endedBy)})
	case !t.app.Runs(): // the leftovers are drained, from now on with everybody else
		t.endWith(exit{Code: exitStopped})
	default:
		t.serve()
		t.onApp().Stop(s)
	}
}

// The loop answers a start, a look at the app and a reload signal at once: the app's half still
// waits for that.

func (e started) take(t *transition) {
	t.onApp().Started(e.pid)
	t.onLadder().StartedOn(t.inForce().Hash)
	if t.app.IsAtEntrypoint() { // its life begins at the end of that, at the latest
		t.ladder.SoaksAt = t.app.WorksUntil().Add(t.config.SoakFor())
	}
	t.liftUnwell()
	t.forgetRead()
	t.disarmMarked()
	t.prove()
}

// A failed start may be nobody's fault: if the system is short of something and the app ran before,
// it is tried again. If the program can't be executed, the suspect is blamed, of which it may be a
// key. All else is the end, with the code that a shell gives.
func (e startFailed) take(t *transition) {
	switch {
	case e.code == process.ExitSystem && !t.neverStarted():
		t.Error("app not started", "error", e.err.Error(), "nextTry", app.TryAgain) // at the deadline
	case e.code != process.ExitSystem && t.blamesCandidate():
		t.onApp().Rest()
		t.noteFailed(&verdict.Verdict{End: exit{Code: e.code, Reason: e.err}})
		t.fail("start", e.err, "")
	default:
		t.onApp().Rest()
		t.onLadder().StartedOn(t.inForce().Hash)
		t.app.Since = t.now
		end := exit{Code: e.code, Reason: e.err}
		goesOn := e.code != process.ExitSystem && t.appDied(e.err.Error(), end)
		if !goesOn {
			t.app.Since = time.Time{} // it never ran
			t.endNow(end)
		}
	}
}

func (e probed) take(t *transition) { t.onApp().Probed(e.Finding) }

func (sent) take(t *transition) {
	t.onApp().Sent()
	t.expectRead()
	t.prove()
}

// The child may have been the last of the leftovers.
func (e reaped) take(t *transition) {
	t.count.Orphans += e.number
	t.onApp().LookForLeftovers()
}

// The app can't be signalled, as it became another user. In a restart one that must not stay is
// killed at the deadline.
func (e denied) take(t *transition) {
	if e.err == nil {
		t.app.SignalErr = ""
		return
	}
	t.onApp().Denied(e.err)
	if t.app.Phase == app.Probing || t.app.Phase == app.Restarting && t.app.Then != app.StayDown {
		t.notTold(e.err)
	}
}

// notTold gives up a reload or a restart of an app that a signal doesn't reach. Unless the app
// watches its files it has read nothing of the published candidate, which is withdrawn. With
// nothing to go back to it is tried again. After a roll back the app goes on as it is.
func (t *transition) notTold(err error) {
	t.onApp().Rest()
	switch {
	case t.exposure != read:
		t.onLadder().StartedOn(linker.Hash{}) // its life says nothing of what is in force
		t.ladder.SoaksAt = noDeadline
		t.liftUnwell()
		t.endTransaction()
		return
	case !t.ladder.HasAccepted():
		t.exposure = hidden
	case t.reloadAction.Kind != config.Touch:
		t.exposure = visible
	}
	t.reject("reload", err, "")
}

// Nothing of the old app is left, perhaps.
func (e cleared) take(t *transition) {
	if t.app.Phase == app.Draining && !e.left {
		t.drained()
	}
}

// drained goes on when nothing is left of the app.
func (t *transition) drained() {
	t.onApp().Rest()
	switch then := t.app.Then; {
	case then == app.EndConfit:
		t.endNow(t.exit)
	case then == app.StayDown && t.degraded != "":
		t.endNow(t.failed.Ends())
	case then == app.StayDown:
		t.withdraw()
	default:
		t.start()
	}
}
