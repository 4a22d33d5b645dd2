package app

import (
	"slices"
	"time"

	"confit/process"
	"confit/signals"
)

// Restart asks the app to stop. It is started again when it and its leftovers are gone.
func (m *Move) Restart(why, todo string) { m.StopFor(StartAgain, why, todo) }

// StopFor is a restart, unless something else follows. todo is how it would be spared; "": nobody
// knows. The first restart of a shell that stays has a todo of its own.
func (m *Move) StopFor(what Then, why, todo string) {
	keys := []any{"pid", m.PID, "generation", m.Generation, "reason", why}
	switch {
	case todo != "":
		keys = append(keys, "todo", todo)
	case m.Restarts == 0 && m.Entry.Script.isKnown() && !m.Entry.Works:
		keys = append(keys, "program", m.Entry.Program, "todo", shellTodo)
	}
	m.Info("app restarting", keys...)
	m.Then, m.late, m.maybeStop = what, false, maybeStop{} // it ends because of this
	m.enter(Restarting, m.StopTimeout)
	m.askToStop(m.StopSignal, m.StopSignal)
}

const shellTodo = "write exec in front of its last command, or set --entrypoint-timeout 0 if the script is the app"

// Stop asks the app to stop. The platform owns the deadline: confit waits for as long as the app
// takes. A script at work before the app gets a second one at once, and the first if it has a trap
// for TERM.
func (m *Move) Stop(s signals.Signal) {
	switch {
	case m.Phase == Restarting:
		m.become(Stopping)
	case m.waits(), m.works() && (m.Phase == Stopping || m.Entry.Traps):
		m.stopNow(signals.TERM)
	case m.works():
		m.holdStop(s)
	default:
		m.become(Stopping)
		m.askToStop(s, signals.TERM)
	}
}

// askToStop asks the app once to end by its stop signal. Where the app doesn't take that for a
// while, the late signal is sent in its place.
func (m *Move) askToStop(s, late signals.Signal) {
	m.Do(Deliver{m.PID, s, late})
	m.Do(Wake{m.PID})
}

// kill ends an app that did not stop in time.
func (m *Move) kill() {
	if !m.late {
		m.Warn("app killed: it did not stop in time", "pid", m.PID, "waited", m.StopTimeout)
	}
	m.late = true
	m.Do(Signal{m.PID, signals.KILL})
	m.enter(Restarting, killAgain)
}

// Drain ends what the app left behind: in a restart, so that the next one finds its ports free; at
// the end, so that nothing is cut off.
func (m *Move) Drain(before Then) {
	m.Then, m.late = before, false
	m.enter(Draining, m.DrainTimeout)
	m.Do(EndLeftovers{m.Group, signals.TERM, before == EndConfit})
}

// LookForLeftovers finds out whether a child that has ended was the last.
func (m *Move) LookForLeftovers() {
	if m.Phase == Draining {
		m.Do(EndLeftovers{Group: m.Group, Everybody: m.Then == EndConfit})
	}
}

// killLeftovers is the deadline of a drain. A process that even KILL doesn't end, as in an
// uninterruptible sleep, stays: it must not keep the app from running.
func (m *Move) killLeftovers() {
	if m.late {
		m.become(Down)
		return
	}
	m.late = true
	m.Warn("leftovers killed: they did not stop in time", "waited", m.DrainTimeout)
	m.Do(EndLeftovers{m.Group, signals.KILL, m.Then == EndConfit})
	m.enter(Draining, TryAgain)
}

// Outside takes a signal from outside: TERM stops confit, every other one is forwarded to the app,
// or waits for one that is to be started. --map-signal comes first, and may replace or drop the
// signal. It returns the signal of a stop that the platform asks for; 0: it asks for none.
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
	case m.holds(s):
		m.hold(s)
	case m.waits() && m.meansStop(s):
		m.stopNow(s)
	case m.Runs():
		m.Queued = slices.DeleteFunc(slices.Clone(m.Queued), func(q signals.Signal) bool { return q == s })
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
	if m.meansStop(s) {
		m.Do(Deliver{m.PID, s, s})
	} else {
		m.Do(Signal{m.PID, s})
	}
}

// noteStop notes a signal that came from outside, as the app may stop because of it. With INT, QUIT
// and --stop-signal the platform may want one (STOPSIGNAL of an image), or not: a JVM prints its
// threads at QUIT. It was a stop if the app exits within --stop-timeout. Of other signals only the
// way in which it exits can tell.
func (m *Move) noteStop(s signals.Signal) {
	m.AutoHUP = m.AutoHUP && s != signals.HUP
	by := m.Now.Add(m.StopTimeout)
	switch {
	case m.meansStop(s):
		m.StopBy = by
	case signals.MayStop(s) && !m.IsReload(s):
		m.maybeStop = maybeStop{s, by}
	}
}

// StopMarked reports that the app was sent INT or QUIT a moment ago. If it exits now, that is a
// stop.
func (m *Move) StopMarked() bool { return m.Now.Before(m.StopBy) }

// IsStop reports that somebody stopped an app which ends so: by a signal from outside, or by a key
// of its terminal.
func (a *App) IsStop(e *Exit, now time.Time) bool {
	return e.Typed || now.Before(a.StopBy) || a.maybeStop.tells(e.Status, now)
}

// maybeStop is a signal from outside that may have been a stop: the STOPSIGNAL of httpd is WINCH,
// that of haproxy USR1. Others rotate logs by USR1, and change the size of a terminal by WINCH.
type maybeStop struct {
	signal signals.Signal
	by     time.Time // when it is forgotten
}

// tells reports that an app which ended so did as the signal asked: it ended by the signal, with
// 128 and its number as a shell has it, or with 0.
func (s maybeStop) tells(status process.Status, now time.Time) bool {
	code := status.ExitCode()
	return now.Before(s.by) && (code == 0 || code == 128+int(s.signal))
}

// A script that works before it executes the app would die of a signal, or drop it. So what comes
// from outside waits until the app has begun.

// lastChance is how long before --stop-timeout is over a script gets TERM that is still at work.
const lastChance = 5 * time.Second

// works reports that a script is at work which will execute the app.
func (m *Move) works() bool { return m.IsAtEntrypoint() && m.Entry.Works }

// meansStop reports a signal that may ask the app to stop.
func (m *Move) meansStop(s signals.Signal) bool {
	return s == signals.INT || s == signals.QUIT || s == m.StopSignal && !m.IsReload(s)
}

// waits reports that a stop of the platform waits for the app to begin.
func (m *Move) waits() bool { return m.Phase == Stopping && !m.Deadline.IsZero() }

// holds reports that a signal from outside, which isn't TERM, waits for the app to begin. A second
// stop doesn't.
func (m *Move) holds(s signals.Signal) bool {
	if m.meansStop(s) {
		return m.works() && !m.waits() && !slices.Contains(m.Queued, s)
	}
	return m.works() && isForHandler(s)
}

// isForHandler reports a signal that ends whoever has no handler for it, and asks nobody to end.
func isForHandler(s signals.Signal) bool {
	return slices.Contains([]signals.Signal{signals.HUP, signals.USR1, signals.USR2}, s)
}

// hold keeps a signal until the app has begun. An app that is about to stop needs no other one.
func (m *Move) hold(s signals.Signal) {
	if m.meansStop(s) {
		m.StopBy = m.Entry.By.Add(m.StopTimeout)
	}
	if !m.waits() && !slices.Contains(m.Queued, s) {
		m.Queued = append(slices.Clip(m.Queued), s)
		m.Info("signal waits for the app's entrypoint", "signal", signals.Name(s), "pid", m.PID,
			"program", m.Entry.Program)
	}
}

// holdStop keeps the platform's stop, for as long as may be.
func (m *Move) holdStop(s signals.Signal) {
	wait := max(m.StopTimeout-lastChance, m.StopTimeout/2)
	m.enter(Stopping, wait)
	m.Queued = append(slices.Clip(m.Queued), s)
	m.Info("stop waits for the app's entrypoint", "pid", m.PID, "program", m.Entry.Program,
		"longest", wait)
}

// hurry asks a script to end that is still at work when nobody may wait any longer: KILL would come
// next. An app that has begun has not said READY=1 in time.
func (m *Move) hurry() {
	if !m.IsAtEntrypoint() {
		m.handOver()
		return
	}
	m.Warn("app's entrypoint ended by the stop: what it made may be half done", "pid", m.PID,
		"program", m.Entry.Program,
		"todo", "give --stop-timeout and the pod's terminationGracePeriodSeconds the time that the entrypoint needs")
	m.stopNow(signals.TERM)
}

// stopNow hands on a stop that has waited, or doesn't.
func (m *Move) stopNow(s signals.Signal) {
	m.Queued = nil
	m.become(Stopping)
	m.Do(Signal{m.PID, s})
	m.Do(Wake{m.PID})
}

// handOver gives an app that has begun what has waited for that. The platform's stop is the last.
func (m *Move) handOver() {
	for i, s := range m.Queued {
		switch {
		case m.waits() && i == len(m.Queued)-1:
			m.become(Stopping)
			m.askToStop(s, signals.TERM)
		case isForHandler(s) && !m.meansStop(s):
			m.noteStop(s)
			m.Do(Deliver{PID: m.PID, Signal: s})
		default:
			m.forward(s)
		}
	}
	m.Queued = nil
}

// queue keeps what came before the start until the app has begun, where that is looked at.
func (m *Move) queue() {
	if !m.IsAtEntrypoint() {
		for _, s := range m.Queued {
			m.forward(s)
		}
		m.Queued = nil
		return
	}
	if slices.ContainsFunc(m.Queued, m.meansStop) {
		m.StopBy = m.Entry.By.Add(m.StopTimeout)
	}
}
