// Package app is a plain init for one app: it starts the app, makes it reload, asks it to stop, and
// ends what is left of it. It knows no files, no volumes and no generations, and could be a program
// of its own.
//
// It guarantees that
//   - at most one app is alive, and nothing of the one before is left when the next one starts,
//     unless even KILL doesn't end it;
//   - a reload signal is sent only to an app that survives it: one that has no handler is restarted
//     instead;
//   - an app that doesn't stop in time in a restart is killed. When the platform asks for a stop,
//     the app may take its time;
//   - a signal from outside that would end what a script works at before the app waits for that, as
//     long as a stop allows.
//
// It starts no process and sends no signal: its moves change the value, and say what is to be done.
// What follows when the app is gone is decided by others, who leave a Then here.
package app

import (
	"time"

	"confit/process"
	"confit/signals"
)

// Phase is what is done with the app.
type Phase int

// The phases. Each but Down and Up has a deadline; Stopping has one while the stop waits for the
// app to begin.
const (
	Down       Phase = iota // no app runs
	Up                      // the app runs, and nothing is asked of it
	Starting                // the app is being started
	Probing                 // looking at what the app would do with the reload signal
	Restarting              // the app was asked to stop, and what follows isn't the end
	Draining                // what the old app left behind was asked to stop
	Stopping                // the platform asked to stop: waiting for the app
)

var phaseNames = [...]string{"down", "up", "starting", "probing", "restarting", "draining", "stopping"}

// String is the name of the phase, as the log and the status have it.
func (p Phase) String() string { return phaseNames[p] }

// Then is what follows when nothing is left of an app.
type Then int

// What may follow.
const (
	StartAgain Then = iota
	StayDown
	EndConfit
)

// App is one app, from its first start to its last end. The zero value was never started.
type App struct {
	Phase    Phase
	Deadline time.Time // when the phase has waited enough; zero: never
	Then     Then
	late     bool // what should end was killed at the deadline
	Entry    Entry
	life

	Since    time.Time // when it was started, or took the place of one
	Restarts int
	Reloads  int // restarts included
	LastExit *Ended

	StopBy      time.Time        // it was sent INT, QUIT or the stop signal: if it ends before, that was a stop
	maybeStop   maybeStop        // the last other signal that came from outside
	RestartOnly bool             // it leaves at HUP: it is restarted instead
	takesHUP    string           // the program that has lived on after auto's HUP
	SaysReady   bool             // it has said READY=1: the next start waits for it
	Queued      []signals.Signal // sent before it has begun
}

// Script stands for the words of a shell. The zero value is none.
type Script [32]byte

func (s Script) isKnown() bool { return s != Script{} }

// Sight is what a look at the app finds.
type Sight struct {
	Program string // and its script, for a message
	Script  Script // of a shell
	Works   bool   // before it executes something else
	Traps   bool   // TERM
}

// Entry is how far the app has come since its start.
type Entry struct {
	Begun  time.Time // since when it is what it was started for; zero: it is at its entrypoint
	By     time.Time // when its time there is over
	Sight            // the last one
	script Script    // the last shell that was seen, in whichever life of the app
	first  time.Time // when that was
	waited bool      // nobody waits for it again: its time was over
	spoke  time.Time // when another process said READY=1
	former bool      // SaysReady of the life before
}

// life is one process after --.
type life struct {
	PID       int           // 0: not running
	Group     process.Group // the group of the last one, which may have members left
	SignalErr string        // why it can't be signalled; "": it can
	// when it was started or reloaded: some execute themselves anew, and have no handlers for a
	// while
	renewed time.Time
	by      signals.Signal // that makes it reload
	auto    bool           // nobody has named that one
	blocked bool           // the last look found that the app blocks it
	AutoHUP bool           // the last HUP that it got was auto's
	program string         // what it ran when it got that
	ready   readiness      // what it has said of itself since then
	Text    string         // the last STATUS= that it has said
}

// readiness is how far an app that speaks sd_notify(3) has come. RELOADING=1 comes before READY=1
// in a reload: so a late READY=1 of the start isn't taken for the reload's.
type readiness int

const (
	nothing readiness = iota
	begun             // it starts or reloads, and may say READY=1 next
	ready
)

// Ended is an end of the app, with the exit code that confit makes of it.
type Ended struct {
	At     time.Time
	Status process.Status
	Code   int
	OOM    bool // it was killed, and the kernel has lately killed a process of this container for want of memory
}

// Runs reports that there is a process.
func (l *life) Runs() bool { return l.PID != 0 }

// IsAtEntrypoint reports that the app runs, and has not begun.
func (a *App) IsAtEntrypoint() bool { return a.Runs() && a.Entry.Begun.IsZero() }

// NeverStarted reports that no app has run yet.
func (a *App) NeverStarted() bool { return a.Group == 0 }

// IsEnding reports that confit ends when nothing is left of the app.
func (a *App) IsEnding() bool { return a.Phase == Draining && a.Then == EndConfit }

// Rules is what the user has set.
type Rules struct {
	StopSignal   signals.Signal
	StopTimeout  time.Duration
	DrainTimeout time.Duration
	EntryTime    time.Duration                     // that the app has at its entrypoint; 0: it has none
	MapSignal    map[signals.Signal]signals.Signal // 0: dropped
	MapExit      map[int]int
	IsReload     func(signals.Signal) bool // by which somebody outside makes the app reload
}

// Out takes what a move wants done.
type Out interface {
	Do(a Action)
	Info(message string, keys ...any)
	Warn(message string, keys ...any)
	Error(message string, keys ...any)
}

// Move is one event's part of what becomes of the app.
type Move struct {
	*App
	Out
	Rules
	Now        time.Time
	Generation int // that the app is made to read
	Hash       any // its, as the log names it
}

// Action is something to do, of one of the types below.
type Action any

// What a move may want done. PID is the app's.
type (
	Spawn      struct{} // answered by Started, if the app could be started
	signalling struct {
		PID    int
		Signal signals.Signal
	}
	Probe   signalling // answered by Probed
	Reload  signalling // a reload signal; answered by Sent or Denied
	Signal  signalling // answered by Denied, if it is refused
	Deliver struct {   // a signal, once the app takes it; answered by Denied, if it is refused
		PID    int
		Signal signals.Signal
		Late   signals.Signal // sent in its place after HandlerWait; 0: none is, and only a handler will do
	}
	Look         struct{ PID int } // how far it has come; answered by Saw
	Wake         struct{ PID int } // an app that is stopped (^Z) doesn't act on a signal to end
	EndLeftovers struct {
		Group     process.Group
		Signal    signals.Signal // 0: only look
		Everybody bool           // confit ends after it, and spares nobody
	}
)

const (
	// HandlerWait is how long an app may take to install its handler after a start or a reload: an
	// entrypoint script that has not yet exec'ed the daemon has none.
	HandlerWait = 10 * time.Second
	// LookAgain is the wait between two looks for a handler.
	LookAgain = 50 * time.Millisecond
	// killAgain is the wait before an app that survived KILL is killed once more: it became another
	// user (EPERM), or sleeps uninterruptibly.
	killAgain = 30 * time.Second
	// TryAgain is the wait before another try of what the system refused, as a start, or of a kill
	// that has not worked.
	TryAgain = time.Second
)
