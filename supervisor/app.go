package supervisor

import (
	"fmt"
	"log/slog"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
)

// tell makes the app read the generation that is in force.
func (t *turn) tell() {
	t.word = nothing
	switch t.ask.Kind {
	case config.None: // nothing was asked of the app, so it has nothing to prove
		t.accept("none")
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
	switch early := t.now.Before(t.app.fresh.Add(handlerWait)); {
	case t.survives(d) && (!early || d != signals.Ignored):
		t.hup, t.app.fresh = t.ask.Auto, t.now
		t.do(signal{t.app.pid, t.ask.Signal})
		t.seen.count.Reloads++
		t.say(slog.LevelInfo, "app told", "signal", signals.Name(t.ask.Signal), "pid", t.app.pid, "generation", t.inForce().Number)
		t.prove()
	case early && d != signals.Unknown:
		// It may still install its handler: look again at the deadline.
	default:
		t.restart("the app has no handler for " + signals.Name(t.ask.Signal) + " (disposition: " + d.String() + ")")
	}
}

// survives reports whether the signal may be sent. Under auto it must be
// caught, as an app that ignores it would not reload; a signal that the user
// named is sent when it can do no harm, or when the kernel doesn't say. haproxy
// ignores its reload signal until its handler is installed, so one that is
// ignored is waited for, too.
func (t *turn) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught:
		return true
	case t.ask.Auto:
		return false
	}
	return d != signals.Default || !signals.EndsByDefault(t.ask.Signal)
}

// inForce is the generation that the targets resolve to.
func (t *turn) inForce() linker.Generation {
	if t.visible {
		return t.candidate.Generation
	}
	return t.live
}

// reloaded is the end of a reload hook. One that fails on the accepted
// generation leaves only the start to make the app read it.
func (t *turn) reloaded(err error, tail string) {
	switch {
	case t.app.pid == 0: // the hook was killed because of that
		t.fall()
	case err == nil:
		t.seen.count.Reloads++
		t.say(slog.LevelInfo, "app reloaded", "generation", t.inForce().Number)
		t.prove()
	case t.restored():
		t.restart("the reload failed: " + err.Error())
	default:
		t.reject("reload", err, tail)
	}
}

// restart asks the app to stop; it is started again once it and its group are
// gone.
func (t *turn) restart(why string) {
	t.say(slog.LevelInfo, "app restarting", "pid", t.app.pid, "generation", t.inForce().Number, "reason", why)
	t.expired = false
	t.enter(restarting, t.config.StopTimeout)
	t.do(signal{t.app.pid, t.config.StopSignal})
	t.do(wake{t.app.pid})
}

// kill ends an app that did not stop when it was asked to.
func (t *turn) kill() {
	if !t.expired {
		t.say(slog.LevelWarn, "app killed: it did not stop in time", "pid", t.app.pid, "waited", t.config.StopTimeout)
	}
	t.expired = true
	t.do(signal{t.app.pid, signals.KILL})
	t.enter(restarting, killAgain)
}

// start runs the app; what came in for it meanwhile is sent when it runs.
func (t *turn) start() {
	t.word = begun
	t.enter(starting, tryAgain)
	t.do(spawn{})
}

func (t *turn) started(pid int) {
	if t.phase != starting {
		return
	}
	again := !t.first()
	t.app = app{pid: pid, group: pid, fresh: t.now}
	t.sawStart(again)
	t.say(slog.LevelInfo, "app started", "pid", pid, "generation", t.inForce().Number, "hash", t.inForce().Hash)
	for _, s := range t.queued {
		t.do(signal{pid, s})
	}
	t.queued, t.hup = nil, false
	if t.visible {
		t.prove()
	} else {
		t.rest()
	}
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

// exited is the end of the app: expected in a restart, else also confit's. But
// an app that a candidate is to blame for goes on with the accepted generation;
// and one that died of the HUP which auto sent is started again, as runtimes
// that catch every signal look to the kernel as if they reloaded.
func (t *turn) exited(e exited) {
	if t.app.pid == 0 {
		return
	}
	t.sayExited(e)
	t.sawExit(e)
	t.app.pid = 0
	switch {
	case t.phase == restarting:
		t.drain()
	case t.phase == stopping:
		t.end(e.status)
	case t.hup && e.status.Signal() == signals.HUP:
		t.say(slog.LevelWarn, "app died of the reload: it is restarted, now and from now on", "generation", t.inForce().Number)
		t.deaf = true
		t.bereft()
	case e.heir.pid != 0: // the transaction that is under way goes on with it
		t.app = e.heir
		t.app.fresh = t.now
		t.sawStart(false)
		t.say(slog.LevelInfo, "app adopted", "pid", t.app.pid, "generation", t.inForce().Number)
	case t.blamed():
		t.lost = fmt.Errorf("the app ended with %v", e.status)
		t.bereft()
	case t.restored():
		t.bereft()
	default:
		t.end(e.status)
	}
}

// bereft goes on without the app: at once, or when the transaction that is
// under way comes to the app.
func (t *turn) bereft() {
	switch t.phase {
	case settling:
		t.pending = true
		t.drain()
	case splaying:
		t.deadline = t.now // there is nobody to spare
	case running, telling, proving:
		t.fall()
	}
}

// end leaves with the app's exit code, once nothing is left of it.
func (t *turn) end(s process.Status) {
	t.endHook()
	t.ending, t.code = true, t.exitCode(s)
	t.drain()
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
	t.expired, t.lost = false, nil
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
