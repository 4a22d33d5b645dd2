package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
)

// transaction is a change on its way, from the look at the volumes until it is
// accepted or taken back. look makes one, rest drops it. An app that is started
// again without a change has one without a candidate.
type transaction struct {
	candidate     linker.Candidate
	inputs        linker.Hash   // the candidate's hash before it was rendered
	isRetry       bool          // it was rejected before, and is tried again
	reloadAction  config.Action // what its changes require
	splayBy       time.Time     // when the app may be reloaded
	exposure      exposure
	watched       bool  // the linker sees when somebody opens what has changed
	started       bool  // the app is started on what is in force, not only reloaded
	leftAtHUP     bool  // the app left at auto's HUP, and has to show that it can live on the candidate
	waitedFor     int   // looks in a row at which the app seemed to wait for the reload signal
	appFailure    error // the app is gone, and the generation in force is to blame
	gate          gate
	trial         trial  // what the generation in force still has to prove
	excused       bool   // the app was asked to stop: a kill of confit says nothing of the candidate
	killStep      string // the hook that the trial of what is published names; "": none yet
	backToEarlier bool   // the accepted generation is taken back, too
	lastResort    exit   // how confit ends if there is nothing to start on
	stays         bool   // without anything else the app is started on what is mounted, though it was rejected
}

// exposure is how far a candidate has come towards the app.
type exposure int

const (
	hidden   exposure = iota // only hooks read it
	visible                  // the targets lead to it, or some of them do
	read                     // the app may have read it, too: from now on it is to blame
	restored                 // it was taken back after that: the app has to read the accepted one
)

// published reports that the targets lead to the candidate.
func (e exposure) published() bool { return e == visible || e == read }

// reached reports that the app may have read the candidate.
func (e exposure) reached() bool { return e == read || e == restored }

// takenBack is what becomes of it when the targets lead to the accepted one
// again.
func (e exposure) takenBack() exposure {
	if e.reached() {
		return restored
	}
	return hidden
}

// inForce is the generation that the targets lead to.
func (s *state) inForce() linker.Generation {
	if s.exposure.published() {
		return s.candidate.Generation
	}
	return s.accepted.Generation
}

// isAccepted reports whether the candidate is just the accepted generation.
func (s *state) isAccepted() bool {
	return s.hasAccepted() && s.candidate.Hash == s.accepted.Hash
}

// unacceptedInForce reports that the targets lead to a candidate that isn't the
// accepted generation.
func (s *state) unacceptedInForce() bool { return s.exposure.published() && !s.isAccepted() }

// suspect is the generation that is to blame if the app fails now.
type suspect int

const (
	nobody       suspect = iota // the app itself: its exit is confit's
	theCandidate                // the app was reloaded with it, or started on it
	theAccepted                 // it was accepted after a reload, and this is the first start on it
)

func (s *state) suspect() suspect {
	switch {
	case s.phase == broken: // nothing can be taken back
	case s.exposure == read && s.unacceptedInForce() && s.hasResort():
		return theCandidate
	case s.started && s.doubtful() && !s.unacceptedInForce():
		return theAccepted
	}
	return nobody
}

// generationInDoubt reports whether it has to be proved that the app can live
// with what is in force.
func (s *state) generationInDoubt() bool {
	return s.unacceptedInForce() || s.suspect() == theAccepted
}

// appInDoubt reports that a candidate was rolled back, and that the app still
// runs and may yet die of it.
func (s *state) appInDoubt() bool { return s.exposure == restored && !s.started }

// A hint makes confit look: at once, after some quiet, or when the phase is over.
func (hinted) occur(t *transition) {
	if look := t.phase.rule().hinted; look != nil {
		look(t)
	} else {
		t.pending = true
	}
}

// settleFactor bounds how long quiet may be waited for, in settle times.
const settleFactor = 10

// settle waits for quiet before the next look.
func (t *transition) settle() {
	wait := t.settleTime(t.config)
	if wait == 0 {
		t.look()
		return
	}
	t.enter(settling, wait)
	t.quietBy = t.now.Add(settleFactor * wait)
}

// settleOn waits for quiet anew.
func (t *transition) settleOn() {
	t.deadline = earlier(t.now.Add(t.settleTime(t.config)), t.quietBy)
}

// settleWithoutApp starts the app first.
func (t *transition) settleWithoutApp() {
	t.pending = true
	t.drain(startAgain)
}

func (s *state) settleTime(c *config.Config) time.Duration {
	switch {
	case c.Settle != config.SettleAuto:
		return c.Settle
	case s.writing == linker.OneSwap:
		return 0
	case s.writing == linker.SwapBySwap:
		return config.SwapSettle
	}
	return config.DefaultSettle
}

func (t *transition) rescan() {
	t.warnUnread()
	t.look()
}

// look begins a transaction. It ends at once when nothing has changed, or when
// what is mounted was rejected before and isn't due to be tried again. None
// begins while the app may be about to stop.
func (t *transition) look() {
	t.pending, t.transaction = false, transaction{splayBy: t.splayBy}
	if t.keeper().stopMarked() || t.held.stands() {
		t.pending, t.phase, t.deadline = true, running, later(t.app.stopBy, t.held.by)
		return
	}
	t.isRetry, t.putOffBy = t.rejection.isDue(t.now), noDeadline
	t.order(staging, stage{again: t.isRetry})
}

// rest ends a transaction: an app that died meanwhile is started again, what is
// left to do is done, and a change that came in meanwhile is looked at.
func (t *transition) rest() {
	if t.watched && t.readBy.IsZero() { // nobody asks any more
		t.assign(unwatchOpens{})
	}
	t.transaction = transaction{} // its list of changes may be long
	switch {
	case !t.app.runs():
		t.drain(startAgain)
	default:
		t.phase, t.deadline = running, t.nextLook()
		t.keepHouse()
		t.mendLinks()
		if t.pending {
			t.settle()
		}
	}
}

// nextLook is the next rescan, or what is due before it.
func (t *transition) nextLook() time.Time {
	return earliest(t.now.Add(t.config.Rescan), t.rejection.nextTry, t.readBy, t.putOffBy)
}

// mendLinks has links mended that others have changed, as often as --rescan says. It
// doesn't wait for a rescan: where somebody writes to a plain volume all the time,
// each hint begins the wait for one anew.
func (t *transition) mendLinks() {
	if t.over(t.mendBy) {
		t.mendBy = t.now.Add(t.config.Rescan)
		t.assign(mend{})
	}
}
