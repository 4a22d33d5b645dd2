package supervisor

import "confit/config"

// reload makes the app read the generation that is in force.
func (t *transition) reload() {
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
		t.enter(reloading, t.config.HookTimeout)
		t.expectRead() // the app may read before the hook ends
		t.run(t.reloadHook())
	case config.Restart:
		t.restart("the change requires it")
	}
}

// reloadEnded is the end of a reload hook. If it fails on the accepted
// generation, only a restart can make the app read that.
func (t *transition) reloadEnded(err error, tail string) {
	switch {
	case !t.app.Runs(): // the hook was killed because of that
		t.recoverFromExit()
	case err == nil:
		t.onApp().Reloaded()
		t.prove()
	case t.exposure == restored:
		t.restart("the reload failed: " + err.Error())
	default:
		t.reject("reload", err, tail)
	}
}

func (t *transition) rescan() {
	if t.warnUnread(); t.unwell != "" && t.over(t.wellBy) {
		t.prove()
		return
	}
	t.look()
}
