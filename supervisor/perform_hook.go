package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/hooks"
)

func (a runHook) perform(l *loop) event {
	if err := l.startHook(&l.hook, a.name, a.command, a.candidate, a.variables); err != nil {
		return hookStartFailed{err}
	}
	return hookBegun{}
}

func (killHook) perform(l *loop) event { return l.signalHook(&l.hook, signals.KILL) }

func (terminateHook) perform(l *loop) event { return l.signalHook(&l.hook, signals.TERM) }

func (killReport) perform(l *loop) event { return l.signalHook(&l.teller, signals.KILL) }

func (l *loop) signalHook(h *hook, s signals.Signal) event {
	l.family.SignalHook(h.pid, s)
	return nil
}

// What the report hook is told is of the past; everything else is about the
// generation in force.
func (a runReport) perform(l *loop) event {
	if err := l.startHook(&l.teller, "report", a.command, linker.Candidate{Generation: a.inForce}, a.variables); err != nil {
		return reportStartFailed{err}
	}
	return nil
}

// startHook starts a hook in its slot.
func (l *loop) startHook(slot *hook, name string, command []string, about linker.Candidate, variables []string) error {
	pid, out, err := l.family.StartHook(hooks.CommandFor(l.App, command, about, variables))
	if err != nil {
		return err
	}
	spoken := make(chan string, 1)
	*slot = hook{pid: pid, output: out, spoken: spoken}
	to := l.Stderr
	if l.Config.LogJSON {
		to = &process.Lines{To: l.Stderr, Record: func(line string) []byte {
			return config.Record(slog.LevelInfo, "hook output", "hook", name, "line", line)
		}}
	}
	out.Relay(to, func(tail string) { spoken <- tail })
	return nil
}

// ended takes one half of the end. Then the other follows soon.
func (h *hook) ended(s process.Status) {
	h.status, h.pid = s, 0 // the number may be somebody else's from now on
	h.output.Ended()
}

// tail delivers the other half, which waits in its channel until the hook was reaped.
func (h *hook) tail() <-chan string {
	if h.pid != 0 {
		return nil
	}
	return h.spoken
}
