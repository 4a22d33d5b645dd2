package supervisor

import (
	"fmt"
	"log/slog"
	"slices"

	"confit/process"
	"confit/signals"
)

// The app's exit has one of these reasons: confit or somebody else asked for it; HUP
// meant something else to the app; a generation is to blame; or confit ends, too.
func (t *transition) onExited(e exited) {
	if !t.app.runs() {
		return
	}
	switch how := t.keeper().ended(e, t.suspicion()); {
	case how == inStop:
		t.end(e.status)
	case how == inRestart:
		t.drain(t.app.then)
	case how == replaced:
		t.forgetRead()
		if t.phase == running && t.pending { // a change needn't wait any more
			t.settle()
		}
	case how == stopped:
		t.dropVerdict()
		t.stopReporting()
		t.end(e.status)
	case how == leftAtHUP:
		t.learn()
		t.continueWithoutApp()
	case t.blamesCandidate():
		t.appFailure = fmt.Errorf("the app ended with %v", e.status)
		t.noteSetback(exit{code: t.keeper().exitCode(e.status)}, false)
		t.continueWithoutApp()
	case t.appInDoubt():
		t.continueWithoutApp()
	case !t.appDied(fmt.Sprintf("the app ended with %v %v after its start", e.status, t.lived()), exit{code: t.keeper().exitCode(e.status)}):
		t.end(e.status)
	}
}

func (t *transition) suspicion() suspicion {
	switch {
	case !t.exposure.reached() || t.app.phase != probing && t.phase != proving:
		return none
	case t.blamesCandidate():
		return ofNew
	}
	return inProof
}

// learn turns HUP into a restart from now on. While a candidate is in doubt, the
// candidate may be to blame as well: then the app first has to live through a
// start on it.
func (t *transition) learn() {
	t.say(slog.LevelWarn, "app left at HUP: it is started again", "generation", t.inForce().Number)
	if t.blamesCandidate() {
		t.leftAtHUP = true
	} else {
		t.keeper().restartFromNowOn()
	}
}

// continueWithoutApp goes on when the app is gone and confit stays. Phases that
// need the app end here; the others go on until they come to the app.
func (t *transition) continueWithoutApp() {
	if without := t.phase.rule().withoutApp; without != nil {
		without(t)
	}
}

// end ends confit with the app's exit code, when nothing is left of the app.
func (t *transition) end(s process.Status) { t.endWith(exit{code: t.keeper().exitCode(s)}) }

// exitStopped is the exit code when TERM came before the app ran.
const exitStopped = 128 + int(signals.TERM)

// maxQueued bounds how many signals wait for an app that can't be started.
const maxQueued = 256

// TERM stops confit, every other signal is forwarded to the app. --map-signal comes
// first, and may replace or drop the signal.
func (t *transition) onSignalled(e signalled) {
	if t.tries() {
		t.endTry(e.signal)
		return
	}
	from, s := e.signal, e.signal
	if to, mapped := t.config.MapSignal[s]; mapped {
		s = to
	}
	switch {
	case s == 0:
	case s == signals.TERM:
		t.stop(t.config.StopSignal)
	case from == signals.TERM: // the platform wants a stop, by another signal
		t.stop(s)
	case !t.app.runs():
		if len(t.app.queued) < maxQueued {
			t.app.queued = append(slices.Clip(t.app.queued), s)
		}
	default:
		t.forward(s)
	}
}

// stop asks the app to stop, in whatever phase.
func (t *transition) stop(s signals.Signal) {
	t.say(slog.LevelInfo, "stop requested", "signal", signals.Name(s), "phase", t.shown().String())
	t.endHook()
	t.excuse()
	t.dropVerdict()
	t.stopReporting()
	switch {
	case t.app.isEnding():
	case t.phase == telling:
		t.endNow(t.app.exit)
	case !t.app.runs(): // the leftovers are drained, from now on with everybody else
		t.endWith(exit{code: exitStopped})
	default:
		t.serve()
		t.keeper().stop(s)
	}
}
