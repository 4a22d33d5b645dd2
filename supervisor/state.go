package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/status"
	"confit/supervisor/app"
	"confit/supervisor/ladder"
	"confit/supervisor/outcomes"
	"confit/supervisor/verdict"
)

// phase is what the change is doing, or the app's half. Each has one deadline. The report hook has
// one of its own.
type phase int

// The phases of the change.
const (
	running  phase = phase(app.Stopping) + 1 + iota // nothing to do
	settling                                        // a volume changed: waiting for quiet
	// the linker is reading the volumes, or recording that hooks are about to run on the candidate
	staging
	rendering  // the render hook runs, or the linker takes up what that made
	validating // the validate hook runs on a candidate that isn't published
	// for the app to have begun, as the candidate would end what its entrypoint works at
	waiting
	splaying // a random wait, so that replicas don't all reload at once
	// the gate hook runs, or waits for the last outcome to be delivered
	gating
	publishing // the linker is moving the live link
	checking   // the validate hook runs on what is published, or the linker looks at it again
	// the app's half is to make the app read the generation in force, or to end
	serving
	withdrawing // the linker is taking a generation back
	touching    // the linker is making new links of what has changed
	// the app, which watches its files, is expected to open what has changed
	reading
	reloading // the reload hook runs
	// the app is at its entrypoint: what it can live with is seen once it has begun
	beginning
	// the app has ended, and the linker looks whether something was missing
	comparing
	// the app was reloaded: it must live on, and the verify hook succeed
	proving
	telling // nothing is left of the app: the end waits for the report hook
	done    // confit ends
)

var phaseNames = [done - running + 1]string{"running",
	"settling", "staging", "rendering", "validating", "waiting", "splaying", "gating", "publishing", "validating",
	"serving", "withdrawing", "touching", "reading", "reloading", "beginning", "comparing", "proving", "telling",
	"done"}

func (p phase) String() string {
	if p < running {
		return app.Phase(p).String()
	}
	return phaseNames[p-running]
}

// state is all that confit knows. Only step changes it.
type state struct {
	phase    phase
	deadline time.Time // when the phase has waited enough; zero: never
	quietBy  time.Time // when settling ends even without quiet
	busy     bool      // the linker owes an answer
	hook     bool      // a hook was to be started, and its end is not known yet
	expired  bool      // what the phase waits for, such as a hook, was killed at its deadline

	app app.App
	// how long the last app that has begun was at its entrypoint; 0: none has, also in former
	// containers
	entered time.Duration

	transaction
	ladder ladder.Ladder // what there is to go back to
	asked  bool          // the validator was asked about the newest edition, since the app is on an older one
	soaks  time.Time     // see soaksAt
	// the proof of the accepted generation, until the note has it and the log says so; "": it does
	pendingProof string
	note         notes
	untidy       bool      // a generation that nobody can go back to may be left
	repairBy     time.Time // when what others have changed is put right next
	// until then an end of the app is put down to something that was missing in the state directory
	missedBy time.Time
	endedBy  process.Status // how the app has ended, until it is known whether something was missing then
	endedIn  phase          // in which phase of the change
	again    int            // how often the app was started again in a row, as something was missing
	readBy   time.Time      // when the app should have opened what has changed; zero: it has, or nobody knows
	hasRead  *bool          // whether the app has opened what changed; nil: nobody knows (yet)
	watched  bool           // the linker sees when somebody opens what has changed, and looks at no file itself
	pending  bool           // a hint came while there was something else to do
	writing  linker.Writing // how the volumes change
	// what the last look at the volumes saw; "": the next one stages the mounted configuration
	fingerprint linker.Fingerprint

	known
	outcomes   outcomes.Outcomes
	complaints complaints
	degraded   string // how the configuration side broke down; "": it works

	links  config.LinksSum // what the links files held at the last look
	inside int             // the app whose working directory is inside a generation, as the log has said

	mounted *status.Mounted // what the last look found
	history

	exit exit // how confit ends, when that is decided: it may be draining or telling before
}

// accepted is the accepted generation that the app is on, or would go back to. Its Number is 0
// where there is none.
func (s *state) accepted() *linker.Rung { return s.ladder.InForce() }

// shown is the phase that the log and the status name: that of the app's half while the change
// waits for it.
func (s *state) shown() phase {
	switch {
	case s.phase == serving && s.app.Phase == app.Up: // a plain init has nothing else to do
		return running
	case s.phase == serving:
		return phase(s.app.Phase)
	}
	return s.phase
}

// due is when something is due in the phase; zero: never.
func (s *state) due() time.Time { return earliest(s.deadline, s.app.Deadline, s.app.WorksUntil()) }

// transaction is a change on its way, from the look at the volumes until it is accepted or taken
// back. look makes one, rest drops it. An app that is started again without a change has one
// without a candidate.
type transaction struct {
	candidate    linker.Candidate
	isRetry      bool          // it was rejected before, and is tried again
	asks         bool          // the app has died of it: only its validator is asked
	reloadAction config.Action // what its changes require
	splayBy      time.Time     // when the app may be reloaded
	waits        time.Time     // since when the candidate waits for the app to begin; zero: it didn't have to
	warned       bool          // the log has said that this takes long
	exposure     exposure
	started      bool  // the app is started on the generation in force, not only reloaded
	leftAtHUP    bool  // the app left at auto's HUP, and has to show that it can live on the candidate
	appFailure   error // the app is gone, and the generation in force is to blame
	outdated     bool  // they moved on, and the gate was asked to end
	proof        proof // what the generation in force still has to prove
	// the accepted generation that the app doesn't go on with, as it goes down or that is lost; 0:
	// there is none
	wentFrom int
	failed   *verdict.Verdict // decides what follows if nothing else is left; nil: nothing has failed
	risk     risk
	excused  bool // the app was asked to stop: a kill of confit says nothing of the candidate
}
