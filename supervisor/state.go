package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// phase is what confit is doing. Those that wait for something are exclusive,
// so one deadline serves them all.
type phase int

const (
	settling    phase = iota // a volume changed: waiting for quiet
	staging                  // the linker is reading the volumes
	validating               // the validate hook runs, or the linker looks at what it did
	splaying                 // a random wait, so that replicas don't all reload at once
	publishing               // the linker is moving the live link
	withdrawing              // the linker is taking a generation back
	probing                  // looking at what the app does with the reload signal
	reloading                // the reload hook runs
	restarting               // the old app was asked to stop
	draining                 // what the old app left behind was asked to stop
	starting                 // the app is to be started
	proving                  // the app was reloaded: it must live on, and the verify hook succeed
	running                  // nothing to do
	stopping                 // the platform asked to stop: waiting for the app
	done                     // left
)

var phaseNames = [...]string{"settling", "staging", "validating", "splaying", "publishing", "withdrawing",
	"probing", "reloading", "restarting", "draining", "starting", "proving", "running", "stopping", "done"}

func (p phase) String() string { return phaseNames[p] }

// state is all that confit knows. Only step changes it.
type state struct {
	phase    phase
	deadline time.Time // when the phase has waited enough; zero: never
	quietBy  time.Time // when settling ends even without quiet
	busy     bool      // the linker has not answered yet
	stalled  time.Time // since when it should have; zero: it answers
	hook     bool      // a hook was started, and its end is not known yet
	expired  bool      // what is waited for, a hook or leftovers, was killed at its deadline

	app         app
	ending      bool             // the app is gone for good: draining leads to the end
	stopBy      time.Time        // the app was sent INT or QUIT: if it ends before, that was a stop
	hup         bool             // the last HUP that the app got was auto's
	restartOnly bool             // the app leaves at HUP: it is restarted instead
	readBy      time.Time        // the app was reloaded, and should have opened what has changed by then; zero: it has, or nobody knows
	saysReady   bool             // the app has said READY=1: it is waited for at the next start
	readiness   readiness        // what it says of itself since it was started or reloaded
	queued      []signals.Signal // sent before the app runs

	transaction
	accepted     linker.Accepted // what is gone back to
	unstored     string          // the proof of the accepted generation, until it is written down; "": it is
	storeTrouble string          // why it isn't, as it was said
	untidy       bool            // a generation was accepted, and its predecessor is still there
	pending      bool            // a hint came while there was something else to do
	single       bool            // one atomic volume: a swap is a whole change

	refused  bool        // what is mounted is not what is live, and it was said
	rejected linker.Hash // the last candidate that was rejected; zero when it had no hash
	retry    retry       // when it is tried again
	trouble  string      // the system's last refusal that was said
	degraded string      // how the configuration side broke: forward and reap only; "": it works

	seen record // what status.json tells of it

	code   int   // with done: the exit code
	reason error // with done: why, when confit and not the app decided it
}

// transaction is a change on its way, from the look at the volumes until it is
// accepted or taken back. look makes one, rest drops it.
type transaction struct {
	candidate    linker.Candidate
	reloadAction config.Action // what its changes ask for
	splayBy      time.Time     // when the app may be reloaded
	visible      bool          // the candidate was published
	watched      bool          // it will be known who opens what has changed
	reloaded     bool          // the app may have read it: from now on it is to blame
	started      bool          // the app was started on what is in force, not only reloaded
	leftAtHUP    bool          // the app left at auto's HUP, and has to show that it can live on the candidate
	waitedFor    int           // looks in a row at which the app seemed to wait for the reload signal
	sent         bool          // the reload signal was sent to an app that waits for it
	appFailure   error         // the app is gone, and the generation in force is to blame
	trial        trial         // what the generation in force still has to prove
	excused      bool          // the app was asked to stop: if confit is killed now, that is no verdict
	further      bool          // the accepted generation is taken back, too
	leaving      int           // the exit code to leave with if there is nothing to start on
	cause        error         // and why
}

// app is the process after --.
type app struct {
	pid    int       // 0: not running
	group  int       // the group of the last one, which may have members left
	fresh  time.Time // when it was started or reloaded: some execute themselves anew, and have no handlers for a while
	inside bool      // its working directory is inside a generation, and that was said
}

// trial is what a generation still has to prove.
type trial struct {
	until    time.Time // the app must live until then
	readyBy  time.Time // the app must have said READY=1 by then; zero: it isn't waited for
	asked    time.Time // when the verify hook was asked last
	verifyBy time.Time // the verify hook must have succeeded by then; zero: it isn't asked, or has
	failure  error     // how its last attempt ended
	tail     string    // and the last it printed
}

// readiness is how far an app that speaks sd_notify(3) has come. RELOADING=1
// comes before READY=1 in a reload, so that a READY=1 of the start before it,
// which may be late, isn't taken for the reload's.
type readiness int

const (
	nothing readiness = iota
	begun             // READY=1 follows
	ready
)

// retry is when a rejected candidate is tried again.
type retry struct {
	at    time.Time     // zero: not before a change
	wait  time.Duration // the last wait, which is doubled
	again bool          // the transaction under way is such a try
}

// first reports that the app was never started: what goes wrong now is the end,
// unless a former confit left an accepted generation.
func (s *state) first() bool { return s.app.group == 0 }

// isAccepted reports whether the candidate is just the accepted generation.
func (s *state) isAccepted() bool {
	return s.accepted.Number != 0 && s.candidate.Hash == s.accepted.Hash
}

// inForce is the generation that the targets resolve to.
func (s *state) inForce() linker.Generation {
	if s.visible {
		return s.candidate.Generation
	}
	return s.accepted.Generation
}

// restored reports that the candidate was taken back after the app was
// reloaded with it, so that the app is reloaded with the accepted generation.
func (s *state) restored() bool { return s.reloaded && !s.visible }

// doubtful reports that the accepted generation has never survived a start, and
// that there is one to go back to if it doesn't.
func (s *state) doubtful() bool { return !s.accepted.Survived && s.accepted.Earlier.Number != 0 }

// suspect is the generation that is to blame if the app fails now.
type suspect int

const (
	nobody       suspect = iota // the app itself: its end is confit's
	theCandidate                // the app was reloaded with it, or started on it
	theAccepted                 // it was accepted after a reload, and this is the first start on it
)

func (s *state) suspect() suspect {
	switch {
	case s.reloaded && s.visible && s.accepted.Number != 0 && !s.isAccepted():
		return theCandidate
	case s.started && s.doubtful() && (!s.visible || s.isAccepted()):
		return theAccepted
	}
	return nobody
}

// generationInDoubt reports whether it has to be proved that the app can live
// with what is in force.
func (s *state) generationInDoubt() bool {
	return s.visible && !s.isAccepted() || s.suspect() == theAccepted
}

// appInDoubt reports that the generation was rolled back to, and the app, which
// still runs, may yet die of the one that it was reloaded with before.
func (s *state) appInDoubt() bool { return s.restored() && !s.started }

// standing names the generation that the app goes on with.
func (s *state) standing() string { return name(s.accepted.Generation) }
