package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
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
		if t.reloadAction.Auto && t.restartOnly {
			t.restart("it left at " + signals.Name(t.reloadAction.Signal) + " before")
			return
		}
		t.lookForHandler()
	case config.Exec:
		t.enter(reloading, t.config.HookTimeout)
		t.expectRead() // the app may read before the hook ends
		t.run()
	case config.Restart:
		t.restart("the change requires it")
	}
}

const (
	// handlerWait is how long an app may take to install its handler after a
	// start or a reload: an entrypoint script that has not yet exec'ed the daemon
	// has none.
	handlerWait = 10 * time.Second
	// probeAgain is the wait between two looks for the handler.
	probeAgain = 50 * time.Millisecond
	// waitedLooks is how many looks in a row must find the app waiting for the
	// signal: a shell (dash) blocks all signals for a moment whenever it forks.
	waitedLooks = 5
)

// lookForHandler finds out what the app would do with the signal: without a
// handler it would die of it.
func (t *transition) lookForHandler() {
	t.enter(probing, probeAgain)
	t.do(probe{t.app.pid, t.reloadAction.Signal})
}

// isNew reports that the app may yet install its handler.
func (t *transition) isNew() bool { return !t.over(t.app.renewed.Add(handlerWait)) }

// What the kernel says of the app decides: the signal is sent, the app is looked at
// again, or it is restarted.
func (e probed) occur(t *transition) {
	if t.phase != probing {
		return
	}
	if e.disposition != signals.Waited {
		t.waitedFor = 0
	} else if t.waitedFor++; t.waitedFor < waitedLooks {
		return // look again at the deadline
	}
	h, known := habitOf(e)
	switch {
	case t.reloadAction.Auto && known:
		t.restart(h.reason, h.keys()...)
	case t.survives(e.disposition) && (!t.isNew() || e.disposition != signals.Ignored):
		t.noteProgram(e.runs)
		t.do(deliver{t.app.pid, t.reloadAction.Signal})
	case t.isNew() && e.disposition != signals.Unknown:
		// It may still install its handler: look again at the deadline.
	default:
		t.restart("the app has no handler for " + signals.Name(t.reloadAction.Signal) + " (disposition: " + e.disposition.String() + ")")
	}
}

// survives reports whether the signal may be sent. Under auto the app must take
// it: an app that ignores it would not reload. A signal that the user named is
// sent when it can do no harm, or when the kernel doesn't say. haproxy ignores
// its reload signal until it has installed its handler, so probed waits for an
// app that ignores the signal, too.
func (t *transition) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught, d == signals.Waited:
		return true
	case t.reloadAction.Auto:
		return false
	}
	return d != signals.Default || !signals.EndsByDefault(t.reloadAction.Signal)
}

// noteProgram notes what gets the signal, and whether it has lived on after auto's
// HUP.
func (t *transition) noteProgram(program string) {
	if t.app.autoHUP && t.app.program == program {
		t.takesHUP = program
	}
	t.app.program = program
}

// The signal is sent. That the app waits for it is only a guess, until the app takes
// it.
func (sent) occur(t *transition) {
	if t.phase != probing {
		return
	}
	t.app.autoHUP, t.app.renewed = t.reloadAction.Auto, t.now
	if t.app.autoHUP {
		t.perhaps = hint{} // if it leaves now, that is why
	}
	t.seen.count.Reloads++
	t.say(slog.LevelInfo, "app reloaded", "signal", signals.Name(t.reloadAction.Signal), "pid", t.app.pid, "generation", t.inForce().Number)
	t.expectRead()
	if t.waitedFor > 0 {
		t.enter(delivering, probeAgain)
	} else {
		t.prove()
	}
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
	t.seen.app.Read, t.app.readBy = nil, time.Time{}
	if t.exposure.published() && t.watched {
		t.app.readBy = t.now.Add(readWait)
	}
}

// warnUnread warns when nothing was opened in time. That is no reason for a roll
// back: an app may read its files when it needs them.
func (t *transition) warnUnread() {
	if t.app.readBy.IsZero() || !t.over(t.app.readBy) {
		return
	}
	t.recordRead(false)
	t.say(slog.LevelWarn, "app has not opened what changed", "generation", t.accepted.Number, "waited", readWait,
		"todo", "find out what makes it read its configuration, and write reload restart, signal:NAME or exec:COMMAND")
}

// lookWhetherTaken finds out whether the signal still waits to be taken.
func (t *transition) lookWhetherTaken() {
	t.enter(delivering, probeAgain)
	t.do(track{t.app.pid, t.reloadAction.Signal})
}

// An app that has not taken the signal in the end, though it seemed to wait for it,
// only had it blocked.
func (e delivered) occur(t *transition) {
	switch name := signals.Name(t.reloadAction.Signal); {
	case t.phase != delivering:
	case e.taken:
		t.prove()
	case t.isNew(): // look again at the deadline
	case t.reloadAction.Auto:
		t.restart("the app has " + name + " blocked, and doesn't take it")
	default:
		t.say(slog.LevelWarn, "app has not taken the reload signal", "signal", name, "pid", t.app.pid, "waited", handlerWait)
		t.prove()
	}
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
