package supervisor

import (
	"log/slog"
	"slices"

	"confit/config"
	"confit/signals"
)

// restart asks the app to stop. It is started again when it and its leftovers are
// gone.
func (k *keeper) restart(why string, keys ...any) { k.stopFor(startAgain, why, keys...) }

// stopFor is a restart, unless something else follows.
func (k *keeper) stopFor(what then, why string, keys ...any) {
	k.say(slog.LevelInfo, "app restarting", append([]any{"pid", k.pid, "generation", k.on.Number, "reason", why}, keys...)...)
	k.then, k.late, k.perhaps = what, false, hint{} // it ends because of this
	k.enter(restarting, k.config.StopTimeout)
	k.askToStop(k.config.StopSignal)
}

// stop asks the app to stop. The platform owns the deadline: confit waits for as
// long as the app takes.
func (k *keeper) stop(s signals.Signal) {
	asked := k.phase == restarting
	k.become(stopping)
	if !asked {
		k.askToStop(s)
	}
}

// askToStop asks the app once to end by its stop signal, whatever the app does with
// that.
func (k *keeper) askToStop(s signals.Signal) {
	k.do(signal{k.pid, s})
	k.do(wake{k.pid})
}

// kill ends an app that did not stop in time.
func (k *keeper) kill() {
	if !k.late {
		k.say(slog.LevelWarn, "app killed: it did not stop in time", "pid", k.pid, "waited", k.config.StopTimeout)
	}
	k.late = true
	k.do(signal{k.pid, signals.KILL})
	k.enter(restarting, killAgain)
}

// drain ends what the app left behind: in a restart, so that the next one finds
// its ports free; at the end, so that nothing is cut off.
func (k *keeper) drain(before then) {
	k.then, k.late = before, false
	k.enter(draining, k.config.DrainTimeout)
	k.do(endLeftovers{k.group, signals.TERM, before == endConfit})
}

// lookForLeftovers finds out whether a child that has ended was the last.
func (k *keeper) lookForLeftovers() {
	if k.phase == draining {
		k.do(endLeftovers{group: k.group})
	}
}

// killLeftovers is the deadline of a drain. A process that even KILL doesn't end,
// as in an uninterruptible sleep, stays: it must not keep the app from running.
func (k *keeper) killLeftovers() {
	if k.late {
		k.become(down)
		return
	}
	k.late = true
	k.say(slog.LevelWarn, "leftovers killed: they did not stop in time", "waited", k.config.DrainTimeout)
	k.do(endLeftovers{k.group, signals.KILL, k.then == endConfit})
	k.enter(draining, tryAgain)
}

// marksStop notes a signal that came from outside, and reports whether the app may
// stop because of it. With INT, QUIT and --stop-signal the platform may want one (STOPSIGNAL
// of an image), or not: a JVM prints its threads at QUIT. It was a stop if the app
// exits within --stop-timeout. Of other signals only the way in which it exits can
// tell.
func (k *keeper) marksStop(s signals.Signal) (marks bool) {
	k.autoHUP = k.autoHUP && s != signals.HUP
	by := k.now.Add(k.config.StopTimeout)
	switch {
	case s == signals.INT, s == signals.QUIT, s == k.config.StopSignal && !k.isReload(s):
		k.stopBy, marks = by, true
	case signals.MayStop(s) && !k.isReload(s):
		k.perhaps = hint{s, by}
	}
	return marks
}

// isReload reports a signal by which somebody outside makes the app reload.
func (k *keeper) isReload(s signals.Signal) bool {
	return k.config.Reload.Signal == s || slices.ContainsFunc(k.config.Links, func(l config.Link) bool { return k.config.ActionOf(&l).Signal == s })
}

// stopMarked reports that the app was sent INT or QUIT a moment ago. If it exits
// now, that is a stop.
func (k *keeper) stopMarked() bool { return k.now.Before(k.stopBy) }

// isStop reports that somebody stopped the app: by a signal from outside, or by a
// key of its terminal.
func (k *keeper) isStop(e exited) bool {
	return e.typed || k.stopMarked() || k.perhaps.tells(e.status, k.now)
}
