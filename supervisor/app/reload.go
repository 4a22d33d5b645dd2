package app

import "confit/signals"

// Finding is how the kernel shows an app that is about to get a signal.
type Finding struct {
	Disposition signals.Disposition
	Runs        string // the program that gets the signal
	Program     string // the same, or what it is wrapped around, as habits names it
	Alone       bool   // no child of it runs the same program
}

// ReloadBy makes the app reload by a signal, or by a restart if the app can't take that. auto says
// that nobody has named the signal.
func (m *Move) ReloadBy(s signals.Signal, auto bool) {
	m.by, m.auto, m.blocked = s, auto, false
	if auto && m.RestartOnly {
		m.Restart("it left at "+signals.Name(s)+" before", "")
		return
	}
	m.lookForHandler()
}

// lookForHandler finds out what the app would do with the signal: without a handler it would die of
// it.
func (m *Move) lookForHandler() {
	m.enter(Probing, LookAgain)
	m.Do(Probe{m.PID, m.by})
}

// isNew reports that the app may yet install its handler.
func (m *Move) isNew() bool { return !m.over(m.renewed.Add(HandlerWait)) }

// Probed decides by what the kernel says of the app: the signal is sent, the app is looked at
// again, or it is restarted. A shell that forks has all signals blocked for a moment, so two looks
// in a row must find that.
func (m *Move) Probed(f Finding) {
	before := m.blocked
	m.blocked = f.Disposition == signals.Blocked
	if m.blocked && !before {
		return // look again at the deadline
	}
	h, known := habits[f.Program]
	switch {
	case m.auto && known && (f.Alone || !h.alone):
		m.Restart(h.reason, h.todo)
	case m.survives(f.Disposition) && (!m.isNew() || f.Disposition != signals.Ignored):
		m.noteProgram(f.Runs)
		m.Do(Reload{m.PID, m.by})
	case f.Disposition == signals.Unknown:
		m.Restart("the kernel doesn't say what the app does with "+signals.Name(m.by), m.untold())
	case m.isNew():
		// It may still install its handler: look again at the deadline.
	default:
		m.Restart("the app has no handler for "+signals.Name(m.by)+" (disposition: "+f.Disposition.String()+")", "")
	}
}

// untold is what to do at the first restart where auto can't know whether that is needed: gVisor
// shows no handlers.
func (m *Move) untold() string {
	if m.Restarts > 0 {
		return ""
	}
	return "if the app reloads by it, write reload signal:" + signals.Name(m.by)
}

// survives reports whether the signal may be sent. Under auto the app must catch it: an app that
// ignores it would not reload. A signal that the user named is sent when it can do no harm, or when
// the kernel doesn't say. haproxy ignores its reload signal until it has installed its handler, so
// Probed waits for an app that ignores the signal, too.
func (m *Move) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught:
		return true
	case m.auto:
		return false
	}
	return d != signals.Default || !signals.EndsByDefault(m.by)
}

// noteProgram notes what gets the signal, and whether it has lived on after auto's HUP.
func (m *Move) noteProgram(program string) {
	if m.AutoHUP && m.program == program {
		m.takesHUP = program
	}
	m.program = program
}

// Sent goes on when the signal is sent. Whether the app has taken it isn't asked.
func (m *Move) Sent() {
	m.AutoHUP, m.renewed = m.auto, m.Now
	if m.AutoHUP {
		m.maybeStop = maybeStop{} // if it leaves now, that is why
	}
	m.Reloaded("signal", signals.Name(m.by), "pid", m.PID)
	m.become(Up)
}

// Reloaded notes a reload that isn't a restart. keys say how, for the log.
func (m *Move) Reloaded(keys ...any) {
	m.Reloads++
	m.Info("app reloaded", append(keys, "generation", m.Generation)...)
}

// Denied says once of each app that it can't be signalled: TERM won't reach it either.
func (m *Move) Denied(err error) {
	if m.SignalErr == "" {
		m.Error("app can't be signalled", "pid", m.PID, "error", err.Error())
	}
	m.SignalErr = err.Error()
}
