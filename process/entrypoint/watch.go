package entrypoint

import "time"

// Watch tells from looks at an app when it has begun. It is a value: whoever keeps it looks, and
// knows the time.
type Watch struct {
	started time.Time // the app
	first   Look      // the first of the looks that have found the same
	firstAt time.Time
	found   bool
	begun   bool
}

// Since begins to watch an app that was started now.
func Since(now time.Time) Watch { return Watch{started: now} }

// settled is how long a look has to hold: what executes the app may be seen for some milliseconds.
const settled = 200 * time.Millisecond

// See is the watch after one more look. An app has begun once two looks have found the same
// program, which is no shell that will execute.
func (w Watch) See(look Look, now time.Time) Watch {
	same := w.found && look.PID == w.first.PID && look.Program == w.first.Program
	if look.Shell {
		same = same && look.Cmdline == w.first.Cmdline
	}
	switch {
	case w.begun:
	case look.Waiting || look.Executes:
		w.found = false
	case !same:
		w.first, w.firstAt, w.found = look, now, true
	default:
		w.begun = now.Sub(w.firstAt) >= settled
	}
	return w
}

// Begun reports whether the app has begun, and when: at the first of the looks that found it so.
func (w Watch) Begun() (time.Time, bool) { return w.firstAt, w.begun }

// Ended reports whether an app that has ended now had begun before: one look has found a program
// that is no shell.
func (w Watch) Ended() (time.Time, bool) {
	return w.firstAt, w.begun || w.found && !w.first.Shell && w.first.Program != ""
}

// A script works for milliseconds, or for minutes.
const (
	often   = 50 * time.Millisecond
	seldom  = 500 * time.Millisecond
	oftenIn = 10 * time.Second
)

// Next is when to look again after a look: what was found is to last.
func (w Watch) Next(now time.Time) time.Time {
	switch {
	case w.found:
		return w.firstAt.Add(settled)
	case now.Sub(w.started) < oftenIn:
		return now.Add(often)
	}
	return now.Add(seldom)
}
