package supervisor

import (
	"time"

	"confit/linker"
	"confit/signals"
)

// phase is what confit is doing. Those that wait for something are exclusive,
// so one deadline serves them all.
type phase int

const (
	settling    phase = iota // a volume changed: waiting for quiet
	staging                  // the linker is reading the volumes
	validating               // the validate hook runs
	checking                 // the linker is looking at what the hook did to its candidate
	splaying                 // a random wait, so that replicas don't all reload at once
	publishing               // the linker is moving the live link
	withdrawing              // the linker is taking a generation back
	probing                  // looking at what the app does with the reload signal
	delivering               // the reload signal was sent to an app that waits for it
	reloading                // the reload hook runs
	restarting               // the old app was asked to stop
	draining                 // what the old app left behind was asked to stop
	starting                 // the app is to be started
	proving                  // the app was reloaded: it must live on, and the verify hook succeed
	running                  // nothing to do
	stopping                 // the platform asked to stop: waiting for the app
	done                     // left
)

var phaseNames = [...]string{"settling", "staging", "validating", "checking", "splaying", "publishing", "withdrawing",
	"probing", "delivering", "reloading", "restarting", "draining", "starting", "proving", "running", "stopping", "done"}

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
	ending      bool             // the app is gone for good: draining leads to the exit
	stopBy      time.Time        // the app was sent INT or QUIT: if it ends before, that was a stop
	restartOnly bool             // the app leaves at HUP: it is restarted instead
	saysReady   bool             // the app has said READY=1: it is waited for at the next start
	queued      []signals.Signal // sent before the app runs

	transaction
	accepted     linker.Accepted // what is gone back to
	unstored     string          // the proof of the accepted generation, until it is written down; "": it is
	storeTrouble string          // why it isn't, as it was said
	untidy       bool            // a generation was accepted, and its predecessor is still there
	pending      bool            // a hint came while there was something else to do
	single       bool            // one atomic volume: a swap is a whole change

	rejection rejection
	trouble   string // the system's last refusal that was said
	degraded  string // how the configuration side broke: forward and reap only; "": it works

	seen record // what status.json tells of it

	exit exit // how confit ends, when that is decided
}
