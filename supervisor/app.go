package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/process"
	"confit/signals"
)

// tell makes the app read the generation that was published.
func (t *turn) tell() {
	switch t.ask.Kind {
	case config.None:
		t.rest()
	case config.Signal:
		if t.ask.Auto && t.deaf {
			t.restart("it died of " + signals.Name(t.ask.Signal) + " before")
			return
		}
		t.phase = telling
		t.lookForHandler()
	case config.Exec:
		t.enter(telling, t.config.ValidateTimeout)
		t.run(t.ask.Command)
	case config.Restart:
		t.restart("the change asks for it")
	}
}

// lookForHandler asks the kernel what the app would do with the signal: one
// that it doesn't catch would end it.
func (t *turn) lookForHandler() {
	t.enter(telling, probeAgain)
	t.do(probe{t.app.pid, t.ask.Signal})
}

func (t *turn) probed(d signals.Disposition) {
	if t.phase != telling || t.ask.Kind != config.Signal {
		return
	}
	switch {
	case t.survives(d):
		t.hup = t.ask.Auto
		t.do(signal{t.app.pid, t.ask.Signal})
		t.say(slog.LevelInfo, "app told", "signal", signals.Name(t.ask.Signal), "pid", t.app.pid, "generation", t.live.Number)
		t.rest()
	case d != signals.Unknown && t.now.Before(t.app.started.Add(handlerWait)):
		// It may still install its handler: look again at the deadline.
	default:
		t.restart("the app has no handler for " + signals.Name(t.ask.Signal) + " (disposition: " + d.String() + ")")
	}
}

// survives reports whether the signal may be sent. Under auto it must be
// caught, as an app that ignores it would not reload; a signal that the user
// named is sent when it can do no harm, or when the kernel doesn't say.
func (t *turn) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught:
		return true
	case t.ask.Auto:
		return false
	}
	return d != signals.Default || !signals.EndsByDefault(t.ask.Signal)
}

// reloaded is the end of a reload hook. When it failed, what the app has
// loaded isn't known: no candidate counts as the same, so the next one is told
// to the app even if it is this one again.
func (t *turn) reloaded(err error) {
	if err == nil {
		t.say(slog.LevelInfo, "app reloaded", "generation", t.live.Number)
	} else {
		t.say(slog.LevelError, "reload failed", "generation", t.live.Number, "reason", err.Error(),
			"todo", "see the hook's output: the next change is tried")
		t.live.Hash = [len(t.live.Hash)]byte{}
	}
	t.rest()
}

// restart asks the app to stop; it is started again once it and its group are
// gone.
func (t *turn) restart(why string) {
	t.say(slog.LevelInfo, "app restarting", "pid", t.app.pid, "generation", t.live.Number, "reason", why)
	t.enter(restarting, t.config.StopTimeout)
	t.do(signal{t.app.pid, t.config.StopSignal})
}

// start runs the app; what came in for it meanwhile is sent when it runs.
func (t *turn) start() {
	t.enter(starting, tryAgain)
	t.do(spawn{})
}

func (t *turn) started(pid int) {
	if t.phase != starting {
		return
	}
	t.app = app{pid: pid, group: pid, started: t.now}
	t.say(slog.LevelInfo, "app started", "pid", pid, "generation", t.live.Number, "hash", t.live.Hash)
	for _, s := range t.queued {
		t.do(signal{pid, s})
	}
	t.queued, t.hup = nil, false
	t.rest()
}

// barred: the app could not be started. What may pass is waited for, if the app
// ran before; everything else is the end, with the code that a shell gives.
func (t *turn) barred(e barred) {
	if t.phase != starting {
		return
	}
	if e.code == config.ExitSystem && !t.first() {
		t.say(slog.LevelError, "app not started", "error", e.err.Error(), "nextTry", tryAgain)
		return // the deadline starts it again
	}
	t.leave(e.code, e.err)
}

// exited is the end of the app: expected in a restart, else also confit's. An
// app that died of the HUP which auto sent is started again: runtimes that
// catch every signal look to the kernel as if they reloaded.
func (t *turn) exited(e exited) {
	if t.app.pid == 0 {
		return
	}
	t.sayExited(e)
	t.app.pid = 0
	switch {
	case t.phase == restarting:
		t.drain()
	case t.hup && e.status.Signal() == signals.HUP && t.phase != stopping:
		t.say(slog.LevelWarn, "app died of the reload: it is restarted, now and from now on", "generation", t.live.Number)
		t.deaf = true
		if t.phase == running || t.phase == settling || (t.phase == telling && t.ask.Kind == config.Signal) {
			t.drain() // else at the end of the transaction
		}
	case e.heir.pid != 0 && t.phase != stopping: // the transaction that is under way goes on with it
		t.app = e.heir
		t.app.started = t.now
		t.say(slog.LevelInfo, "app adopted", "pid", t.app.pid, "generation", t.live.Number)
	default:
		t.endHook()
		t.ending, t.code = true, t.exitCode(e.status)
		t.drain()
	}
}

// exitCode is what confit exits with when the app ended so.
func (t *turn) exitCode(s process.Status) int {
	if code, mapped := t.config.MapExit[s.ExitCode()]; mapped {
		return code
	}
	return s.ExitCode()
}

func (t *turn) sayExited(e exited) {
	keys := []any{"pid", t.app.pid, "status", e.status.String(), "code", t.exitCode(e.status)}
	if e.oom {
		keys = append(keys, "oomKilled", true)
	}
	t.say(slog.LevelInfo, "app exited", keys...)
}

// drain ends what the app that is gone left behind: in a restart so that the
// next one finds its ports free, at the end so that nothing is cut off.
func (t *turn) drain() {
	t.expired = false
	t.enter(draining, t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.TERM, t.ending})
}

func (t *turn) cleared(left bool) {
	if t.phase == draining && !left {
		t.drained()
	}
}

// killLeftovers ends the patience. What even KILL doesn't end (a process in an
// uninterruptible sleep) is left behind: it must not keep the app from running.
func (t *turn) killLeftovers() {
	if t.expired {
		t.drained()
		return
	}
	t.expired = true
	t.say(slog.LevelWarn, "leftovers killed: they did not stop in time", "waited", t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.KILL, t.ending})
	t.enter(draining, tryAgain)
}

func (t *turn) drained() {
	if t.ending {
		t.leave(t.code, nil)
		return
	}
	t.start()
}
