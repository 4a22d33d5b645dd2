package supervisor

import (
	"confit/config"
	"confit/supervisor/app"
	"confit/supervisor/hooks"
)

// makeAppRead makes the app read the generation in force, or starts it on that.
func (t *transition) makeAppRead() {
	switch {
	case t.neverStarted():
		t.start()
		return
	case !t.app.Runs():
		t.drain(app.StartAgain)
		return
	}
	t.onApp().ForgetReady()
	switch t.reloadAction.Kind {
	case config.None: // the app does nothing, so it has nothing to prove
		t.accept("none")
	case config.Touch:
		t.touch()
	case config.Signal:
		t.serve()
		t.onApp().ReloadBy(t.reloadAction.Signal, t.reloadAction.Auto)
	case config.Exec:
		t.expectRead() // the app may read before the hook ends
		t.runIn(reloading, t.reloadHook())
	case config.Restart:
		t.restart("the change requires it", "")
	}
}

func (t *transition) reloadHook() hooks.Hook {
	return hooks.New("reload", t.reloadAction.Command, t.config.HookTimeout)
}

// reloadEnded is the end of a reload hook. If it fails on the accepted generation, only a restart
// can make the app read that.
func (t *transition) reloadEnded(err error, tail string) {
	switch {
	case err == nil:
		t.onApp().Reloaded()
		t.prove()
	case t.exposure == restored:
		t.restart("the reload failed: "+err.Error(), "")
	default:
		t.reject("reload", err, tail)
	}
}

func (t *transition) rescan() {
	t.warnUnread()
	if t.isDue(t.doubted.TryBy()) && !t.app.IsAtEntrypoint() {
		t.prove()
		return
	}
	t.look()
}

func (t *transition) touchEnded(e event) {
	done, _ := e.(touched)
	t.watched = done.watched
	switch {
	case !t.app.Runs():
		t.recoverFromExit()
	case done.err != nil:
		t.Warn("targets not touched", "error", done.err.Error(),
			"todo", "mount an emptyDir on the target's directory, or write reload restart")
		t.restart("its targets can't be touched", "")
	case !done.watched:
		t.restart("nobody can know whether it opens what changed", "")
	default:
		t.onApp().Reloaded("action", "touch", "pid", t.app.PID)
		if t.hasRead != nil || t.config.Probation == 0 { // the app was faster than this answer, or is believed
			t.prove()
		} else {
			t.enter(reading, t.config.Probation)
		}
	}
}

func (t *transition) readLate() {
	t.restart("it has not opened what changed within "+t.config.Probation.String(),
		"let it watch the directory of its configuration, or write reload restart")
}
