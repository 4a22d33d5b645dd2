package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
)

// reload makes the app read the generation that is in force.
func (t *transition) reload() {
	t.app.readiness = nothing
	switch t.reloadAction.Kind {
	case config.None: // the app does nothing, so it has nothing to prove
		t.accept("none")
	case config.Touch:
		t.touch()
	case config.Signal:
		t.serve()
		t.keeper().reloadBy(t.reloadAction)
	case config.Exec:
		t.enter(reloading, t.config.HookTimeout)
		t.expectRead() // the app may read before the hook ends
		t.run()
	case config.Restart:
		t.restart("the change requires it")
	}
}

// serve waits for the app's half to make the app read what is in force.
func (t *transition) serve() {
	if t.phase != broken {
		t.phase, t.deadline = serving, noDeadline
	}
}

// restart stops the app, and starts it on what is in force.
func (t *transition) restart(why string, keys ...any) {
	t.serve()
	t.keeper().restart(why, keys...)
}

// drain ends what is left of an app that is gone.
func (t *transition) drain(before then) {
	t.interruptReport()
	t.serve()
	t.keeper().drain(before)
}

// start starts the app where nothing is left of another.
func (t *transition) start() {
	t.started = true
	t.serve()
	t.keeper().start()
}

// readWait is how long an app may take to open what has changed after a reload:
// some finish their work first.
const readWait = 30 * time.Second

// toBeRead is what the app should open at its reload. It is watched from the
// publish on. For an app that is touched the touch begins it: a hook that
// validates what is published opens that, too.
func (t *transition) toBeRead() []linker.Change {
	if t.app.runs() && (t.reloadAction.Kind == config.Signal || t.reloadAction.Kind == config.Exec) {
		return t.candidate.Changes
	}
	return nil
}

// expectRead waits for somebody to open what has changed: to many programs a
// signal, HUP above all, means something else than a reload.
func (t *transition) expectRead() {
	t.forgetRead()
	if t.exposure.published() && t.watched {
		t.readBy = t.now.Add(readWait)
	}
}

// warnUnread warns when nothing was opened in time. That is no reason for a roll
// back: an app may read its files when it needs them.
func (t *transition) warnUnread() {
	if t.readBy.IsZero() || !t.over(t.readBy) {
		return
	}
	t.recordRead(false)
	t.say(slog.LevelWarn, "app has not opened what changed", "generation", t.accepted.Number, "waited", readWait,
		"todo", "find out what makes it read its configuration, and write reload restart, signal:NAME or exec:COMMAND")
}

// reloadEnded is the end of a reload hook. If it fails on the accepted
// generation, only a restart can make the app read that.
func (t *transition) reloadEnded(err error, tail string) {
	switch {
	case !t.app.runs(): // the hook was killed because of that
		t.recoverFromExit()
	case err == nil:
		t.seen.count.Reloads++
		t.say(slog.LevelInfo, "app reloaded", "generation", t.inForce().Number)
		t.prove()
	case t.exposure == restored:
		t.restart("the reload failed: " + err.Error())
	default:
		t.reject("reload", err, tail)
	}
}

// strongest is what a candidate's changes require: the strongest of the actions
// of their links, and of two as strong, that of the first link. A key
// that only changed its mode requires nothing.
func strongest(c *config.Config, changes []linker.Change) config.Action {
	action, from := config.Action{Kind: config.None}, -1
	for _, change := range changes {
		if change.ModeOnly {
			continue
		}
		for _, i := range change.Links {
			a := c.ActionOf(&c.Links[i])
			if a.Kind > action.Kind || a.Kind == action.Kind && i < from {
				action, from = a, i
			}
		}
	}
	return action
}
