package supervisor

import (
	"log/slog"
	"slices"
	"time"

	"confit/config"
	"confit/process"
	"confit/signals"
)

// exitStopped is the exit code when TERM came before the app ran.
const exitStopped = 128 + int(signals.TERM)

// maxQueued bounds how many signals wait for an app that can't be started.
const maxQueued = 256

// TERM stops confit, every other signal is forwarded to the app.
// --map-signal comes first, and may replace or drop the signal.
func (e signalled) occur(t *transition) {
	from, s := e.signal, e.signal
	if to, mapped := t.config.MapSignal[s]; mapped {
		s = to
	}
	switch {
	case s == 0:
	case s == signals.TERM:
		t.stop(t.config.StopSignal)
	case from == signals.TERM: // the platform wants a stop, by another signal
		t.stop(s)
	case !t.app.runs():
		if len(t.queued) < maxQueued {
			t.queued = append(slices.Clip(t.queued), s)
		}
	default:
		t.forward(s)
	}
}

// forward sends the app a signal that came from outside. With INT, QUIT and
// --stop-signal the platform may want a stop (STOPSIGNAL of an image), or not: a
// JVM prints its threads at QUIT. It was a stop if the app exits within
// --stop-timeout. Of other signals only the way in which it exits can tell.
func (t *transition) forward(s signals.Signal) {
	t.app.autoHUP = t.app.autoHUP && s != signals.HUP
	by := t.now.Add(t.config.StopTimeout)
	switch {
	case s == signals.INT, s == signals.QUIT, s == t.config.StopSignal && !t.isReload(s):
		t.stopBy = by
		t.held.by = later(t.held.by, by)
		t.excuse()
	case signals.MayStop(s) && !t.isReload(s):
		t.perhaps = hint{s, by}
	}
	t.do(signal{t.app.pid, s})
}

// isReload reports a signal by which somebody outside makes the app reload.
func (t *transition) isReload(s signals.Signal) bool {
	return t.config.Reload.Signal == s || slices.ContainsFunc(t.config.Links, func(l config.Link) bool { return t.config.ActionOf(&l).Signal == s })
}

// hint is a signal from outside that may have been a stop: the STOPSIGNAL of httpd
// is WINCH, that of haproxy USR1. Others rotate logs by USR1, and change the size of
// a terminal by WINCH.
type hint struct {
	signal signals.Signal
	by     time.Time // when it is forgotten
}

// tells reports that an app which ended so did as the signal asked: it ended by the
// signal, with 128 and its number as a shell has it, or with 0.
func (h hint) tells(status process.Status, now time.Time) bool {
	code := status.ExitCode()
	return now.Before(h.by) && (code == 0 || code == 128+int(h.signal))
}

// excuse ends the trial of the candidate: if the app doesn't stop in time, the
// platform kills it and confit, and that says nothing of the candidate.
func (t *transition) excuse() {
	if t.candidate.Number != 0 && !t.excused {
		t.excused = true
		t.assign(abandonTrial{})
	}
}

// stopMarked reports that the app was sent INT or QUIT a moment ago. If it exits
// now, that is a stop.
func (t *transition) stopMarked() bool { return t.now.Before(t.stopBy) }

// isStop reports that somebody stopped the app: by a signal from outside, or by a
// key of its terminal.
func (t *transition) isStop(e exited) bool {
	return e.typed || t.stopMarked() || t.perhaps.tells(e.status, t.now)
}

// stop asks the app to stop, in whatever phase. The platform owns the deadline:
// confit waits for as long as the app takes.
func (t *transition) stop(s signals.Signal) {
	t.say(slog.LevelInfo, "stop requested", "signal", signals.Name(s), "phase", t.phase.String())
	t.endHook()
	t.dropVerdict()
	t.stopReporting()
	switch {
	case t.phase == draining && t.ending:
	case t.neverStarted():
		t.leave(exit{code: exitStopped})
	case !t.app.runs(): // the leftovers are drained, from now on with everybody else
		t.ending, t.exit.code = true, exitStopped
		t.drain()
	default:
		t.excuse()
		sent := t.phase == restarting && !t.app.asksAgain
		t.phase, t.deadline = stopping, noDeadline
		if !sent {
			t.askToStop(s)
		}
	}
}
