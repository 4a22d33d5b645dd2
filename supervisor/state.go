package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
)

// phase is what confit is doing. Those that wait for something are exclusive,
// so one deadline serves them all.
type phase int

const (
	settling    phase = iota // a volume changed: waiting for quiet
	staging                  // the linker is reading the volumes
	validating               // the validate hook runs
	splaying                 // a random wait, so that replicas don't all reload at once
	publishing               // the linker is moving the live link
	withdrawing              // the linker is taking a candidate back
	telling                  // the app is being told: looking for its handler, or a reload hook runs
	restarting               // the old app was asked to stop
	draining                 // what the old app left behind was asked to stop
	starting                 // the app is to be started
	proving                  // the app was told: it must live on, and the verify hook succeed
	running                  // nothing to do
	stopping                 // the platform asked to stop: waiting for the app
	done                     // left
)

var phaseNames = [...]string{"settling", "staging", "validating", "splaying", "publishing", "withdrawing",
	"telling", "restarting", "draining", "starting", "proving", "running", "stopping", "done"}

func (p phase) String() string { return phaseNames[p] }

// state is all that confit knows. Only step changes it.
type state struct {
	phase    phase
	deadline time.Time // when the phase has waited enough; zero: never
	quietBy  time.Time // when settling ends even without quiet

	app     app
	hook    int              // pid of the hook, 0 without
	expired bool             // what is waited for, a hook or leftovers, was killed at its deadline
	ending  bool             // the app is gone for good: draining leads to the end
	hup     bool             // the last HUP that the app got was auto's
	deaf    bool             // the app died of auto's HUP: it is restarted from then on
	queued  []signals.Signal // sent before the app runs

	candidate linker.Candidate
	ask       config.Action     // what its changes ask for
	visible   bool              // the candidate was published
	told      bool              // the app may have read it: from now on it is to blame
	lost      error             // the app is gone, and the candidate is to blame
	trial     trial             // what it still has to prove
	word      word              // what it says of itself since it was started or told
	splayBy   time.Time         // when the app may be told
	live      linker.Generation // the accepted generation, which is gone back to
	busy      bool              // the linker has not answered yet
	untidy    bool              // a generation was accepted, and its predecessor is still there
	pending   bool              // a hint came while there was something else to do
	single    bool              // one atomic volume: a swap is a whole change

	refused  bool        // what is mounted is not what is live, and it was said
	rejected linker.Hash // the last candidate that was rejected; zero when it had no hash
	retry    retry       // when it is tried again
	trouble  string      // the system's last refusal that was said
	degraded string      // how the configuration side broke: forward and reap only; "": it works

	seen record // what status.json tells of it

	leaving int   // the exit code to leave with once the candidate is taken back; 0: stay
	code    int   // with done: the exit code
	reason  error // with done: why, when confit and not the app decided it
}

// app is the process after --.
type app struct {
	pid   int       // 0: not running
	group int       // the group of the last one, which may have members left
	fresh time.Time // when it was started or told: some execute themselves anew, and have no handlers for a while
}

// trial is what a generation still has to prove.
type trial struct {
	until    time.Time // the app must live until then
	verifyBy time.Time // the verify hook must have succeeded by then; zero: nothing to verify, or it has
	failure  error     // how its last attempt ended
	tail     string    // and the last it printed
}

// word is how far an app that speaks sd_notify(3) has come. RELOADING=1 comes
// before READY=1 in a reload, so that a READY=1 of the start before it, which
// may be late, isn't taken for the reload's.
type word int

const (
	nothing word = iota
	begun        // READY=1 follows
	ready
)

// retry is when a rejected candidate is tried again.
type retry struct {
	at    time.Time     // zero: not before a change
	wait  time.Duration // the last wait, which is doubled
	again bool          // the transaction under way is such a try
}

// event is something that happened. Its name is a participle.
type event interface{ event() }

type (
	hinted    struct{} // something may have changed in a volume
	elapsed   struct{} // the deadline may have passed
	unchanged struct{} // staging found what was there before
	staged    struct { // a candidate is written
		candidate linker.Candidate
		ask       config.Action
		splay     time.Duration // how long this replica waits before it tells the app
	}
	invalid    struct{ reason error } // what is mounted can't be a candidate
	failed     struct{ err error }    // the system refused the linker something
	crashed    struct{ err error }    // the configuration side panicked
	published  struct{}
	superseded struct{} // the volumes moved on, nothing was published
	withdrawn  struct{}
	stored     struct { // whether the accepted generation was written down
		store
		err error
	}
	hookBegun  struct{ pid int }
	hookBarred struct{ err error } // it could not be started
	hookEnded  struct {
		status process.Status
		tail   string // the last it printed
	}
	probed  struct{ disposition signals.Disposition }
	started struct{ pid int }
	barred  struct { // the app could not be started
		err  error
		code int
	}
	exited struct { // the app
		status process.Status
		oom    bool // the kernel killed something here for want of memory
		heir   app  // with --adopt: what took its place, if anything did
	}
	reaped    struct{}            // some other child
	cleared   struct{ left bool } // whether something of the old app is left
	signalled struct{ signal signals.Signal }
	heard     struct{ message notify.Message } // the app says something of itself
)

func (hinted) event()     {}
func (elapsed) event()    {}
func (unchanged) event()  {}
func (staged) event()     {}
func (invalid) event()    {}
func (failed) event()     {}
func (crashed) event()    {}
func (published) event()  {}
func (superseded) event() {}
func (withdrawn) event()  {}
func (stored) event()     {}
func (hookBegun) event()  {}
func (hookBarred) event() {}
func (hookEnded) event()  {}
func (probed) event()     {}
func (started) event()    {}
func (barred) event()     {}
func (exited) event()     {}
func (reaped) event()     {}
func (cleared) event()    {}
func (signalled) event()  {}
func (heard) event()      {}

// action is something to do. Its name is an imperative.
type action interface{ action() }

type (
	stage    struct{ again bool } // answered by staged, unchanged (not again), invalid, failed or crashed
	publish  struct{}             // answered by published, superseded, failed or crashed
	withdraw struct{}             // answered by withdrawn, failed or crashed
	accept   struct{}
	store    struct { // answered by stored
		generation linker.Generation
		proof      string
	}
	tidy    struct{}
	discard struct{}
	runHook struct { // answered by hookBegun or hookBarred, then by hookEnded
		command   []string
		candidate linker.Candidate
	}
	killHook struct{ pid int }
	spawn    struct{} // answered by started or barred
	probe    struct { // answered by probed
		pid    int
		signal signals.Signal
	}
	signal struct {
		pid    int
		signal signals.Signal
	}
	wake         struct{ pid int } // an app that is stopped (^Z) doesn't hear that it is to end
	endLeftovers struct {          // answered by cleared
		group     int
		signal    signals.Signal // 0: only look
		everybody bool           // confit leaves after it
	}
	say struct {
		level   slog.Level
		message string
		keys    []any
	}
)

func (stage) action()        {}
func (publish) action()      {}
func (withdraw) action()     {}
func (accept) action()       {}
func (store) action()        {}
func (tidy) action()         {}
func (discard) action()      {}
func (runHook) action()      {}
func (killHook) action()     {}
func (spawn) action()        {}
func (probe) action()        {}
func (signal) action()       {}
func (wake) action()         {}
func (endLeftovers) action() {}
func (say) action()          {}
