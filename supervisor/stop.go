package supervisor

import (
	"log/slog"
	"slices"

	"confit/process"
	"confit/signals"
)

// exitStopped is the exit code when TERM came before the app ran.
const exitStopped = 128 + int(signals.TERM)

// signalled: TERM asks confit to stop, every other signal is the app's; after
// the map, which may make one of the other or drop it.
func (t *transition) signalled(s signals.Signal) {
	from := s
	if to, mapped := t.config.MapSignal[s]; mapped {
		s = to
	}
	switch {
	case s == 0:
	case s == signals.TERM:
		t.stop(t.config.StopSignal)
	case from == signals.TERM: // it stays the platform's wish to stop
		t.stop(s)
	case t.app.pid == 0:
		if len(t.queued) < maxQueued {
			t.queued = append(slices.Clip(t.queued), s)
		}
	default:
		t.forward(s)
	}
}

// forward sends the app a signal that came from outside. INT and QUIT may be
// the platform's wish to stop (STOPSIGNAL of an image), or not: a JVM prints
// its threads at QUIT. So only the app's end in the time that follows tells.
func (t *transition) forward(s signals.Signal) {
	t.hup = t.hup && s != signals.HUP
	if s == signals.INT || s == signals.QUIT {
		t.stopBy = t.now.Add(t.config.StopTimeout)
		t.excuse()
	}
	t.do(signal{t.app.pid, s})
}

// excuse ends the trial of what is in force: an app that doesn't stop in time is
// killed by the platform, and confit with it, which says nothing of the edit.
func (t *transition) excuse() {
	if t.visible && !t.excused {
		t.excused = true
		t.do(abandonTrial{})
	}
}

// isStop reports that the app ended because somebody stopped it: by a signal
// from outside, or by a key of its terminal.
func (t *transition) isStop(e exited) bool { return e.typed || t.now.Before(t.stopBy) }

// stop asks the app to stop, from whatever phase. The platform owns the
// deadline: confit waits as long as the app takes.
func (t *transition) stop(s signals.Signal) {
	t.say(slog.LevelInfo, "stop requested", "signal", signals.Name(s), "phase", t.phase.String())
	t.endHook()
	switch {
	case t.phase == draining && t.ending:
	case t.first():
		t.leave(exitStopped, nil)
	case t.app.pid == 0: // no other app is started, and nothing that is left must be cut off: now that is everybody
		t.ending, t.code = true, exitStopped
		t.drain()
	default:
		t.excuse()
		if t.phase != restarting { // there it was sent already
			t.do(signal{t.app.pid, s})
			t.do(wake{t.app.pid})
		}
		t.phase, t.deadline = stopping, noDeadline
	}
}

// end leaves with the app's exit code, once nothing is left of it.
func (t *transition) end(s process.Status) {
	t.endHook()
	t.ending, t.code = true, t.exitCode(s)
	t.drain()
}

// drain ends what the app that is gone left behind: in a restart so that the
// next one finds its ports free, at the end so that nothing is cut off.
func (t *transition) drain() {
	t.expired = false
	t.enter(draining, t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.TERM, t.ending})
}

// reaped may have been the last of the leftovers.
func (t *transition) reaped() {
	t.seen.count.Orphans++
	if t.phase == draining {
		t.do(endLeftovers{group: t.app.group})
	}
}

func (t *transition) cleared(left bool) {
	if t.phase == draining && !left {
		t.drained()
	}
}

// killLeftovers ends the patience. What even KILL doesn't end (a process in an
// uninterruptible sleep) is left behind: it must not keep the app from running.
func (t *transition) killLeftovers() {
	if t.expired {
		t.drained()
		return
	}
	t.expired = true
	t.say(slog.LevelWarn, "leftovers killed: they did not stop in time", "waited", t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.KILL, t.ending})
	t.enter(draining, tryAgain)
}

func (t *transition) drained() {
	if t.ending {
		t.leave(t.code, nil)
		return
	}
	t.start()
}

// leave ends confit. No hook outlives it.
func (t *transition) leave(code int, reason error) {
	t.endHook()
	t.phase, t.deadline, t.code, t.reason = done, noDeadline, code, reason
}
