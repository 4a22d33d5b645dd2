package supervisor

import (
	"time"

	"confit/config"
	"confit/process"
	"confit/signals"
)

// app is all that is left of confit without a configuration: a plain init, which
// starts the app, signals it, and waits for its end. It knows nothing of files.
type app struct {
	phase    phase     // down, up, starting, probing, restarting, draining or stopping
	deadline time.Time // when the phase has waited enough; zero: never
	late     bool      // what should end was killed at the deadline
	then     then      // what follows when nothing is left of the app
	exit     exit      // how confit ends, if that follows
	life

	stopBy      time.Time        // the app was sent INT, QUIT or the stop signal: if it ends before, that was a stop
	perhaps     hint             // the last other signal that came from outside
	restartOnly bool             // the app leaves at HUP: it is restarted instead
	takesHUP    string           // the program that has lived on after auto's HUP
	saysReady   bool             // the app has said READY=1: the next start waits for it
	queued      []signals.Signal // sent before the app runs
}

// life is one process after --.
type life struct {
	pid       int           // 0: not running
	group     process.Group // the group of the last one, which may have members left
	renewed   time.Time     // when it was started or reloaded: some execute themselves anew, and have no handlers for a while
	by        config.Action // the signal that makes it reload
	blocked   bool          // the last look found that the app blocks it
	autoHUP   bool          // the last HUP that it got was auto's
	program   string        // what it ran when it got that
	readiness readiness     // what it has said of itself since then
	text      string        // the last STATUS= that it has said
	beyond    string        // why it can't be signalled; "": it can
	inside    bool          // its working directory is inside a generation, and the log says so
}

func (l life) runs() bool { return l.pid != 0 }

// then is what follows when nothing is left of an app.
type then int

const (
	startAgain then = iota
	stayDown
	endConfit
)

// isEnding reports that confit ends when nothing is left of the app.
func (a *app) isEnding() bool { return a.phase == draining && a.then == endConfit }

// neverStarted reports that no app has run yet: what goes wrong now is the end,
// unless a former confit left an accepted generation.
func (a *app) neverStarted() bool { return a.group == 0 }

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
