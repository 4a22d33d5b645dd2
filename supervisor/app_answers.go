package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/process"
	"confit/supervisor/app"
)

// appLate compares the app's deadline with now.
func (t *transition) appLate() {
	if t.onApp().Late() {
		t.drained()
	}
}

// appAnswered takes the answer to an action that was about the app, if the app's half waits for one.
func (t *transition) appAnswered(e event) {
	switch t.app.Phase {
	case app.Starting:
		t.startEnded(e)
	case app.Probing:
		t.probeEnded(e)
	case app.Restarting:
		t.askEnded(e)
	case app.Draining:
		if e, ok := e.(cleared); ok && !e.left {
			t.drained()
		}
	}
}

// The app can't be signalled, as it became another user.
func (t *transition) onDenied(e denied) {
	t.onApp().Denied(e.err)
	t.appAnswered(e)
}

func (t *transition) startEnded(e event) {
	switch e := e.(type) {
	case started:
		marked := t.app.StopBy
		t.onApp().Started(e.pid)
		t.onLadder().StartedOn(t.inForce().Hash)
		t.unwell, t.wellBy = "", noDeadline
		t.forgetRead()
		t.noteMark(marked)
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
		t.say(slog.LevelError, "app not started", "error", e.err.Error(), "nextTry", app.TryAgain) // at the deadline
	case e.code != process.ExitSystem && t.blamesCandidate():
		t.onApp().Rest()
		t.noteSetback(exit{e.code, e.err}, false)
		t.fail("start", e.err, "")
	default:
		t.onApp().Rest()
		t.onLadder().StartedOn(t.inForce().Hash)
		t.app.Since = t.now
		if end := (exit{e.code, e.err}); e.code == process.ExitSystem || !t.appDied(e.err.Error(), end) {
			t.endNow(end)
		}
	}
}

func (t *transition) probeEnded(e event) {
	switch e := e.(type) {
	case probed:
		t.onApp().Probed(e.Finding)
	case sent:
		t.onApp().Sent()
		t.expectRead()
		t.prove()
	case denied:
		t.notTold(e.err)
	}
}

// askEnded takes what came of a stop signal. An app that must not stay is killed at the
// deadline.
func (t *transition) askEnded(e event) {
	if e, ok := e.(denied); ok && t.app.Then != app.StayDown {
		t.notTold(e.err)
	}
}

// notTold gives up a reload or a restart of an app that a signal doesn't reach. The
// app has read nothing of the published candidate, unless it watches its files: so
// the candidate is withdrawn, and a second signal isn't tried. If the candidate was to
// be taken back already, the app goes on as it is.
func (t *transition) notTold(err error) {
	t.onApp().Rest()
	if t.exposure != read || !t.hasAccepted() {
		t.endTransaction()
		return
	}
	if t.reloadAction.Kind != config.Touch {
		t.exposure = visible
	}
	t.reject("reload", err, "")
}

// drained goes on when nothing is left of the app.
func (t *transition) drained() {
	t.onApp().Rest()
	switch then := t.app.Then; {
	case then == app.EndConfit:
		t.endNow(t.exit)
	case then == app.StayDown && t.degraded != "":
		t.endNow(t.setback.end)
	case then == app.StayDown:
		t.withdraw()
	default:
		t.start()
	}
}
