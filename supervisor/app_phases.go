package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/process"
)

// appRule says what the app's half does in one of its phases when something happens.
// What is nil leaves the phase as it is.
type appRule struct {
	due      func(*keeper)            // the deadline
	answered func(*transition, event) // by the loop, which did something to the app or looked at it
}

// ofApp is the row of a phase of the app's half.
func (p phase) ofApp() appRule {
	switch p {
	case starting:
		return appRule{(*keeper).start, (*transition).startEnded}
	case probing:
		return appRule{(*keeper).lookForHandler, (*transition).probeEnded}
	case restarting:
		return appRule{(*keeper).kill, (*transition).askEnded}
	case draining:
		return appRule{(*keeper).killLeftovers, (*transition).drainEnded}
	}
	return appRule{} // up, down, stopping
}

// appLate compares the app's deadline with now.
func (t *transition) appLate() {
	if due := t.app.phase.ofApp().due; due != nil && !t.app.deadline.IsZero() && t.over(t.app.deadline) {
		due(t.keeper())
		if t.app.phase == down { // nothing of it is left
			t.drained()
		}
	}
}

func (t *transition) appAnswered(e event) {
	if answered := t.app.phase.ofApp().answered; answered != nil {
		answered(t, e)
	}
}

// The app can't be signalled, as it became another user.
func (t *transition) onDenied(e denied) {
	t.keeper().noteBeyond(e.err)
	t.appAnswered(e)
}

func (t *transition) startEnded(e event) {
	switch e := e.(type) {
	case started:
		t.keeper().started(e.pid)
		t.startedOn, t.unwell, t.wellBy = t.inForce().Hash, "", noDeadline
		t.ripen()
		t.forgetRead()
		for _, s := range t.app.queued {
			t.forward(s)
		}
		t.app.queued = nil
		t.prove()
	case startFailed:
		t.startFailed(e)
	}
}

// startFailed decides what a failed start means. If the system is short of
// something and the app ran before, the start is tried again. If the program
// can't be executed, the suspect is blamed: the program may be one of its keys.
// Everything else is the end, with the code that a shell gives.
func (t *transition) startFailed(e startFailed) {
	switch {
	case e.code == process.ExitSystem && !t.neverStarted():
		t.say(slog.LevelError, "app not started", "error", e.err.Error(), "nextTry", tryAgain) // at the deadline
	case e.code != process.ExitSystem && t.blamesCandidate():
		t.keeper().become(down)
		t.noteSetback(exit{e.code, e.err}, false)
		t.fail("start", e.err, "")
	default:
		t.keeper().become(down)
		t.startedOn, t.appSince = t.inForce().Hash, t.now
		t.ripen()
		if end := (exit{e.code, e.err}); e.code == process.ExitSystem || !t.appDied(e.err.Error(), end) {
			t.endNow(end)
		}
	}
}

func (t *transition) probeEnded(e event) {
	switch e := e.(type) {
	case probed:
		t.keeper().probed(e)
	case sent:
		t.keeper().sent()
		t.expectRead()
		t.prove()
	case denied:
		t.notTold(e.err)
	}
}

// askEnded takes what came of a stop signal. An app that must not stay is killed at the
// deadline.
func (t *transition) askEnded(e event) {
	if e, ok := e.(denied); ok && t.app.then != stayDown {
		t.notTold(e.err)
	}
}

// notTold gives up a reload or a restart of an app that a signal doesn't reach. The
// app has read nothing of the published candidate, unless it watches its files: so
// the candidate is withdrawn, and a second signal isn't tried. If the candidate was to
// be taken back already, the app goes on as it is.
func (t *transition) notTold(err error) {
	t.keeper().become(up)
	if t.exposure != read || !t.hasAccepted() {
		t.endTransaction()
		return
	}
	if t.reloadAction.Kind != config.Touch {
		t.exposure = visible
	}
	t.reject("reload", err, "")
}

func (t *transition) drainEnded(e event) {
	if e, ok := e.(cleared); ok && !e.left {
		t.drained()
	}
}

// drained goes on when nothing is left of the app.
func (t *transition) drained() {
	t.keeper().become(down)
	switch then := t.app.then; {
	case then == endConfit:
		t.endNow(t.app.exit)
	case then == stayDown && t.phase == broken:
		t.endNow(t.setback.end)
	case then == stayDown:
		t.withdraw()
	default:
		t.start()
	}
}
