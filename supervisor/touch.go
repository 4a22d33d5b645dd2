package supervisor

import "log/slog"

func (t *transition) touchEnded(e event) {
	done, _ := e.(touched)
	t.watched = done.watched
	switch {
	case !t.app.Runs():
		t.recoverFromExit()
	case done.err != nil:
		t.say(slog.LevelWarn, "targets not touched", "error", done.err.Error(),
			"todo", "mount an emptyDir on the target's directory, or write reload restart")
		t.restart("its targets can't be touched")
	case !done.watched:
		t.restart("nobody can know whether it opens what changed")
	default:
		t.onApp().Reloaded("action", "touch", "pid", t.app.PID)
		if t.readBy.IsZero() || t.config.Probation == 0 { // the app was faster than this answer, or is believed
			t.prove()
		} else {
			t.enter(reading, t.config.Probation)
		}
	}
}

func (t *transition) readLate() {
	t.restart("it has not opened what changed within "+t.config.Probation.String(), "todo", "let it watch the directory of its configuration, or write reload restart")
}
