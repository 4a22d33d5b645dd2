package supervisor

import (
	"context"

	"confit/process"
	"confit/signals"
	"confit/supervisor/hooks"
)

func (a say) perform(l *loop) event {
	l.Log.Log(context.Background(), a.level, a.message, a.keys...)
	return nil
}

func (spawn) perform(l *loop) event {
	app := hooks.WithVariables(l.App, l.state.inForce())
	pid, err := l.family.StartApp(app)
	if err != nil {
		return startFailed{err, process.StartCode(err)}
	}
	l.sayVariables(app, l.state.inForce())
	_ = process.LeaveDirectory() // EACCES for /: then where it was
	l.ooms, l.program = process.OOMKills(), process.Started(pid, app)
	return started{pid}
}

// noteProgram remembers what the app runs while it can be found out: an entrypoint
// script becomes the daemon at some moment, and a zombie runs nothing any more.
func (l *loop) noteProgram() {
	if pid := l.state.app.pid; l.Config.Adopt && pid != 0 {
		if program := process.Executable(pid); program != "" {
			l.program = program
		}
	}
}

// exitOf is the app's exit, with what can only be known at that moment.
func (l *loop) exitOf(status process.Status) exited {
	e := exited{status: status}
	e.forked = status.Success() && l.family.HasOrphans()
	e.oom = status.Signal() == signals.KILL && process.OOMKills() > l.ooms
	e.typed = signals.Typed(status.Signal()) && process.OnTerminal(l.state.app.group)
	if l.Config.Adopt {
		e.successor.pid, e.successor.group = l.family.Successor(l.program)
	}
	return e
}

// The app is looked at as it is now: an entrypoint script may have become the
// daemon. An init in front of another program gets the signal and hands it on.
func (a probe) perform(*loop) event {
	daemon := process.Wrapped(a.pid)
	program := process.Program(daemon)
	h, _ := habitNamed(program)
	return probed{
		disposition: signals.DispositionOf(process.Receiver(a.pid), a.signal),
		runs:        process.Program(a.pid),
		program:     program,
		alone:       h.alone && !process.HasChildOfSameProgram(daemon),
	}
}

func (a inspect) perform(l *loop) event {
	l.noteUser(a.pid)
	return inspected{l.Linker.Owns(process.WorkingDirectory(a.pid))}
}

func (a signal) perform(l *loop) event { return l.signal(a.pid, a.signal) }

func (a deliver) perform(l *loop) event {
	if e := l.signal(a.pid, a.signal); e != nil {
		return e
	}
	return sent{}
}

// signal sends a signal to the app alone, unless --signal-group says otherwise.
// CONT always goes to the group: a stop has stopped all of it.
func (l *loop) signal(pid int, s signals.Signal) event {
	l.noteProgram()
	group := l.state.app.group // an adopted app need not lead it
	switch {
	case s == signals.CONT:
		return l.noteFailedSignal(process.Continue(group), pid)
	case l.Config.SignalGroup:
		return l.noteFailedSignal(process.KillGroup(group, s), pid)
	}
	return l.noteFailedSignal(process.Kill(pid, s), pid)
}

// lookWhetherReached finds out whether the app can be signalled, which changes when
// it becomes another user: nil means as before.
func (l *loop) lookWhetherReached() event {
	if !l.state.app.runs() {
		return nil
	}
	err := process.Reach(l.state.app.pid)
	switch beyond := l.state.app.beyond != ""; {
	case err != nil && !beyond:
		return denied{err}
	case err == nil && beyond:
		return reached{}
	}
	return nil
}

func (a wake) perform(l *loop) event {
	if process.Stopped(a.pid) {
		l.noteFailedSignal(process.Continue(l.state.app.group), a.pid)
	}
	return nil
}

func (a endLeftovers) perform(l *loop) event {
	if a.signal == 0 {
		return cleared{process.Leftovers(a.group)}
	}
	return cleared{process.EndLeftovers(a.group, a.signal, a.everybody, l.spared(a))}
}

// spared is the group of a report hook for which the end waits, until its time is over.
func (l *loop) spared(a endLeftovers) process.Group {
	if a.everybody && a.signal != signals.KILL && l.state.outcomes.Runs() {
		return process.Group(l.teller.pid)
	}
	return 0
}

// noteFailedSignal logs that a signal could not be sent: EPERM, when the app became
// another user. A process that is gone is about to be reaped.
func (l *loop) noteFailedSignal(err error, pid int) event {
	if err != nil && !process.Gone(err) {
		l.Log.Error("cannot signal", "pid", pid, "error", err)
	}
	if err := process.Refusal(err); err != nil {
		return denied{err}
	}
	return nil
}

// noteUser has the linker look whether the app's user may open what was rendered.
func (l *loop) noteUser(pid int) {
	if len(l.Config.Render) == 0 {
		return
	}
	select {
	case l.jobs <- noteUser{process.UserOf(pid)}:
	default: // a disk that hangs must not stop the loop
	}
}
