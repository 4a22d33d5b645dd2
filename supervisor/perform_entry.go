package supervisor

import (
	"time"

	"confit/process"
	"confit/process/entrypoint"
	"confit/signals"
	"confit/supervisor/app"
)

// lookAtEntry looks at an app that has not begun, when it is time. After that nobody looks, but
// before an edit.
func (l *loop) lookAtEntry(now time.Time) {
	e := &l.entry
	switch pid := l.state.app.PID; {
	case !l.state.app.IsAtEntrypoint():
		e.pid, e.next = 0, noDeadline
		return
	case e.pid != pid:
		e.pid, e.watch = pid, entrypoint.Since(now)
	case now.Before(e.next):
		return
	}
	look := e.proc.Look(e.pid)
	e.watch, e.found = e.watch.See(look, now), look
	e.next = e.watch.Next(now)
	if s := sightOf(e.pid, look); s != e.told {
		e.told = s
		l.next = append(l.next, looked{s})
	}
	if at, begun := e.watch.Begun(); begun {
		l.next = append(l.next, began{at})
	}
}

// lookAtEnd finds out whether an app that has ended, and isn't reaped yet, had begun after the last
// look.
func (l *loop) lookAtEnd() {
	e := &l.entry
	if e.pid == 0 {
		return
	}
	at, begun := e.watch.Ended()
	if !begun && e.proc.Executed(e.found) {
		at, begun = time.Now(), true
	}
	if begun {
		l.handle(began{at})
	}
}

// sightOf is what step needs of a look at an app. A trap counts where the signal comes to: not in a
// script behind a shell that stays.
func sightOf(pid int, found entrypoint.Look) app.Sight {
	s := app.Sight{Program: found.Words, Works: found.Waiting || found.Executes}
	if found.Traps("TERM", int(signals.TERM)) {
		receiver, _ := process.Receiver(pid)
		s.Traps = receiver == found.PID
	}
	if found.Shell {
		s.Script = app.Script(found.Cmdline)
	}
	return s
}

// look answers at once.
func (l *loop) look(pid int) event {
	found := l.entry.proc.Look(pid)
	l.entry.found, l.entry.told = found, sightOf(pid, found)
	return looked{l.entry.told}
}
