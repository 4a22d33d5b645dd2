package app

import (
	"log/slog"
	"slices"
	"time"

	"confit/process"
	"confit/signals"
)

// Restart asks the app to stop. It is started again when it and its leftovers are gone.
func (m *Move) Restart(why string, keys ...any) { m.StopFor(StartAgain, why, keys...) }

// StopFor is a restart, unless something else follows.
func (m *Move) StopFor(what Then, why string, keys ...any) {
	m.Say(slog.LevelInfo, "app restarting", append([]any{"pid", m.PID, "generation", m.Generation, "reason", why}, keys...)...)
	m.Then, m.late, m.maybeStop = what, false, maybeStop{} // it ends because of this
	m.enter(Restarting, m.StopTimeout)
	m.askToStop(m.StopSignal)
}

// Stop asks the app to stop. The platform owns the deadline: confit waits for as long as the app takes.
func (m *Move) Stop(s signals.Signal) {
	asked := m.Phase == Restarting
	m.become(Stopping)
	if !asked {
		m.askToStop(s)
	}
}

// askToStop asks the app once to end by its stop signal, whatever the app does with that.
func (m *Move) askToStop(s signals.Signal) {
	m.Do(Signal{m.PID, s})
	m.Do(Wake{m.PID})
}

// kill ends an app that did not stop in time.
func (m *Move) kill() {
	if !m.late {
		m.Say(slog.LevelWarn, "app killed: it did not stop in time", "pid", m.PID, "waited", m.StopTimeout)
	}
	m.late = true
	m.Do(Signal{m.PID, signals.KILL})
	m.enter(Restarting, killAgain)
}

// Drain ends what the app left behind: in a restart, so that the next one finds its ports free; at the end, so that nothing is cut off.
func (m *Move) Drain(before Then) {
	m.Then, m.late = before, false
	m.enter(Draining, m.DrainTimeout)
	m.Do(EndLeftovers{m.Group, signals.TERM, before == EndConfit})
}

// LookForLeftovers finds out whether a child that has ended was the last.
func (m *Move) LookForLeftovers() {
	if m.Phase == Draining {
		m.Do(EndLeftovers{Group: m.Group})
	}
}

// killLeftovers is the deadline of a drain. A process that even KILL doesn't end, as in an uninterruptible sleep, stays: it must not keep
// the app from running.
func (m *Move) killLeftovers() {
	if m.late {
		m.become(Down)
		return
	}
	m.late = true
	m.Say(slog.LevelWarn, "leftovers killed: they did not stop in time", "waited", m.DrainTimeout)
	m.Do(EndLeftovers{m.Group, signals.KILL, m.Then == EndConfit})
	m.enter(Draining, TryAgain)
}

// Outside takes a signal from outside: TERM stops confit, every other one is forwarded to the app, or waits for one that is to be started.
// --map-signal comes first, and may replace or drop the signal. It returns the signal of a stop that the platform asks for; 0: it asks for
// none.
func (m *Move) Outside(from signals.Signal) (stop signals.Signal) {
	s := from
	if to, mapped := m.MapSignal[from]; mapped {
		s = to
	}
	switch {
	case s == 0:
	case s == signals.TERM:
		return m.StopSignal
	case from == signals.TERM: // the platform wants a stop, by another signal
		return s
	case m.Runs():
		m.forward(s)
	case len(m.Queued) < maxQueued:
		m.Queued = append(slices.Clip(m.Queued), s)
	}
	return 0
}

// maxQueued bounds how many signals wait for an app that can't be started.
const maxQueued = 256

// forward sends the app a signal that came from outside.
func (m *Move) forward(s signals.Signal) {
	m.noteStop(s)
	m.Do(Signal{m.PID, s})
}

// noteStop notes a signal that came from outside, as the app may stop because of it. With INT, QUIT and --stop-signal the platform may want
// one (STOPSIGNAL of an image), or not: a JVM prints its threads at QUIT. It was a stop if the app exits within --stop-timeout. Of other
// signals only the way in which it exits can tell.
func (m *Move) noteStop(s signals.Signal) {
	m.AutoHUP = m.AutoHUP && s != signals.HUP
	by := m.Now.Add(m.StopTimeout)
	switch {
	case s == signals.INT, s == signals.QUIT, s == m.StopSignal && !m.IsReload(s):
		m.StopBy = by
	case signals.MayStop(s) && !m.IsReload(s):
		m.maybeStop = maybeStop{s, by}
	}
}

// StopMarked reports that the app was sent INT or QUIT a moment ago. If it exits now, that is a stop.
func (m *Move) StopMarked() bool { return m.Now.Before(m.StopBy) }

// IsStop reports that somebody stopped an app which ends so: by a signal from outside, or by a key of its terminal.
func (a *App) IsStop(e *Exit, now time.Time) bool {
	return e.Typed || now.Before(a.StopBy) || a.maybeStop.tells(e.Status, now)
}

// maybeStop is a signal from outside that may have been a stop: the STOPSIGNAL of httpd is WINCH, that of haproxy USR1. Others rotate logs
// by USR1, and change the size of a terminal by WINCH.
type maybeStop struct {
	signal signals.Signal
	by     time.Time // when it is forgotten
}

// tells reports that an app which ended so did as the signal asked: it ended by the signal, with 128 and its number as a shell has it, or
// with 0.
func (s maybeStop) tells(status process.Status, now time.Time) bool {
	code := status.ExitCode()
	return now.Before(s.by) && (code == 0 || code == 128+int(s.signal))
}
