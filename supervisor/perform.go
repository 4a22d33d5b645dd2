package supervisor

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
	"confit/supervisor/hooks"
)

func (a say) perform(l *loop) event {
	l.Log.Log(context.Background(), a.level, a.message, a.keys...)
	return nil
}

// perform does what the app's half wants done.
func (a toApp) perform(l *loop) event {
	switch a := a.Action.(type) {
	case app.Spawn:
		return l.spawn()
	case app.Probe:
		return probed{lookAtApp(a.PID, a.Signal)}
	case app.Reload:
		if e := l.signal(a.PID, a.Signal); e != nil {
			return e
		}
		return sent{}
	case app.Signal:
		return l.signal(a.PID, a.Signal)
	case app.Deliver:
		return l.deliver(a)
	case app.Look:
		return l.look(a.PID)
	case app.Wake:
		if process.Stopped(a.PID) {
			_ = process.Continue(l.state.app.Group)
		}
	case app.EndLeftovers:
		return l.endLeftovers(a)
	}
	return nil
}

func (l *loop) spawn() event {
	command := hooks.WithVariables(l.App, l.state.inForce())
	pid, err := l.family.StartApp(command)
	if err != nil {
		return startFailed{err, process.StartCode(err)}
	}
	l.sayNewlines(l.state.inForce().Env)
	_ = process.LeaveDirectory() // EACCES for /: then where it was
	l.ooms, l.program = process.Container.CountOOMKills(time.Now()), process.Started(pid, command)
	return started{pid}
}

// noteProgram remembers what the app runs while it can be found out: an entrypoint script becomes
// the daemon at some moment, and a zombie runs nothing any more.
func (l *loop) noteProgram() {
	if pid := l.state.app.PID; l.Config.Adopt && pid != 0 {
		if program := process.Executable(pid); program != "" {
			l.program = program
		}
	}
}

// killed is the code of an app that was killed. A shell passes that of its child on.
const killed = 128 + int(signals.KILL)

// exitOf is the app's exit, with what can only be known at that moment.
func (l *loop) exitOf(status process.Status) exited {
	e := exited{app.Exit{Status: status}}
	e.Forked = status.Success() && l.family.HasOrphans()
	e.OOM = status.ExitCode() == killed && l.ooms.Lately()
	e.Typed = signals.Typed(status.Signal()) && process.OnTerminal(l.state.app.Group)
	if l.Config.Adopt {
		e.Successor.PID, e.Successor.Group = l.family.Successor(l.program)
	}
	return e
}

// The app is looked at as it is now: an entrypoint script may have become the daemon. An init in
// front of another program gets the signal and hands it on.
func lookAtApp(pid int, s signals.Signal) app.Finding {
	daemon, program := process.Wrapped(pid)
	receiver, runs := process.Receiver(pid)
	return app.Finding{
		Disposition: signals.DispositionOf(receiver, s),
		Runs:        runs,
		Program:     program,
		Alone:       !process.HasChildOfSameProgram(daemon),
	}
}

func (a inspect) perform(l *loop) event {
	l.noteUser(a.pid)
	if !l.Linker.Owns(process.WorkingDirectory(a.pid)) {
		return nil
	}
	return inside{}
}

// signal sends a signal to the app alone, unless --signal-group says otherwise. CONT always goes to
// the group: a stop has stopped all of it.
func (l *loop) signal(pid int, s signals.Signal) event {
	l.noteProgram()
	group := l.state.app.Group // an adopted app need not lead it
	switch {
	case s == signals.CONT:
		return denial(process.Continue(group))
	case l.Config.SignalGroup:
		return denial(process.KillGroup(group, s))
	}
	return denial(process.Kill(pid, s))
}

// lookWhetherReached finds out whether the app can be signalled, which changes when it becomes
// another user: nil means as before.
func (l *loop) lookWhetherReached() event {
	now := &l.state.app
	if err := process.Reach(now.PID); now.Runs() && (err != nil) != (now.SignalErr != "") {
		return denied{err}
	}
	return nil
}

func (l *loop) endLeftovers(a app.EndLeftovers) event {
	if a.Signal == 0 {
		return cleared{l.family.Leftovers(a.Group, a.Everybody)}
	}
	spared := process.Group(0)
	// the end waits for a report hook, until its time is over
	if a.Everybody && a.Signal != signals.KILL && l.state.outcomes.Runs() {
		spared = l.teller.Group()
	}
	left, outside := l.family.EndLeftovers(a.Group, a.Signal, a.Everybody, spared)
	if n := len(outside); n > 0 && a.Signal != signals.KILL {
		l.Log.Info("leftovers outside the app's group ended", "count", n, "processes", outside[:min(n, maxNamed)],
			"todo", "start what is to outlive a restart before confit, in a script that executes confit")
	}
	return cleared{left}
}

// maxNamed bounds a line: an app may leave thousands of processes.
const maxNamed = 10

// denial is the event of a signal that confit may not send, as the app became another user. A
// process that is gone is about to be reaped.
func denial(err error) event {
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
	l.worker.Put(orderOf(noteUser{process.UserOf(pid)}))
}

// sayNewlines says, once for each name, which variables of the app end as an editor ends a file.
func (l *loop) sayNewlines(env *linker.Environment) {
	if env == nil {
		return
	}
	names := slices.DeleteFunc(slices.Clone(env.Newlines),
		func(name string) bool { return slices.Contains(l.said, name) })
	if l.said = append(l.said, names...); len(names) > 0 {
		l.Log.Warn("variables end in a newline", "names", names,
			"todo", "write the keys without one: many an editor adds it")
	}
}

// A hook is started once the linker has compared the names below which it is given paths.
func (a runHook) perform(l *loop) event {
	l.hook, l.coming = nil, &a
	l.worker.Put(orderOf(has{a.candidate.Number}))
	return nil
}

// begin starts the hook that waits for this answer. What it is about may be gone: then it isn't
// started, unless the app has that already.
func (h had) begin(l *loop) event {
	a := l.coming
	if l.coming = nil; a == nil {
		return nil
	}
	isOfApp := l.state.phase == reloading || l.state.phase == proving
	if h.err != nil && !isOfApp {
		return hookStartFailed{h.err, true}
	}
	var err error
	if l.hook, err = l.startHook(a.name, a.command, a.candidate, a.variables); err != nil {
		return hookStartFailed{err, false}
	}
	return nil
}

func (killHook) perform(l *loop) event { return l.endHook(signals.KILL) }

func (terminateHook) perform(l *loop) event { return l.endHook(signals.TERM) }

// endHook signals the hook. One that still waits for the linker isn't started.
func (l *loop) endHook(s signals.Signal) event {
	if l.coming != nil {
		l.coming = nil
		return hookStartFailed{errors.New("the state directory doesn't answer"), false}
	}
	l.hook.Signal(s)
	return nil
}

func (killReport) perform(l *loop) event { l.teller.Signal(signals.KILL); return nil }

// What the report hook is told is of the past; everything else is about the generation in force.
func (a runReport) perform(l *loop) event {
	var err error
	if l.teller, err = l.startHook("report", a.command, linker.Candidate{Generation: a.inForce},
		a.variables); err != nil {
		return reportEnded{err: err}
	}
	return nil
}

func (l *loop) startHook(
	name string, command []string, about linker.Candidate, variables []string,
) (*process.Hook, error) {
	to := l.Stderr
	if l.Config.LogJSON {
		to = &process.Lines{To: l.Stderr, Record: func(line string) []byte {
			return config.Record(slog.LevelInfo, "hook output", "hook", name, "line", line)
		}}
	}
	return l.family.StartHook(hooks.CommandFor(l.App, command, about, variables), to)
}
