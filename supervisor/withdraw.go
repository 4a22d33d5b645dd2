package supervisor

import (
	"cmp"
	"fmt"

	"confit/config"
	"confit/process"
	"confit/supervisor/app"
	"confit/supervisor/verdict"
)

// withdrawNow is for an app that is gone: nobody is served during a pause.
func (t *transition) withdrawNow() {
	if !t.busy {
		t.withdraw()
	}
}

func (t *transition) withdrawEnded(e event) {
	switch e := e.(type) {
	case withdrawn:
		if e.undone != nil {
			t.Warn("not everything could be put back: it is tried again", "error", e.undone.Error(),
				"nextTry", t.config.Rescan)
		}
		t.takenBack(e)
	case lost:
		t.goFurther(e.err)
	case failed:
		t.reportSystemError(e.err)
		switch {
		// it can't be put in force, and so not be started on
		case t.neverStarted() && t.wentFrom == 0 && t.ladder.HasAccepted():
			t.endNow(exit{Code: process.ExitSystem, Reason: e.err})
		case t.neverStarted() && t.wentFrom == 0: // whatever follows replaces what is published
			t.endTrial()
			t.head()
		case !t.app.Runs(): // it waits for this
			t.enter(withdrawing, app.TryAgain)
		default:
			t.enter(withdrawing, t.config.Rescan)
		}
	}
}

// goFurther goes on without what was to be gone back to: with the next rung, with the fallback, or
// with what is in force. Where no app runs on that it is the end.
func (t *transition) goFurther(err error) {
	t.Error("generation not gone back to", "error", err.Error())
	t.wentFrom = cmp.Or(t.wentFrom, t.accepted().Number)
	t.ladder.Ladder, t.untidy = t.ladder.Without(), true
	t.liftUnwell() // verify would be asked about what is gone
	switch {
	case t.ladder.HasAccepted():
		t.withdraw()
		return
	case t.ladder.IsDown() || t.ladder.Fallback || !t.app.Runs():
		t.failed = &verdict.Verdict{End: exit{Code: process.ExitSystem, Reason: err}, Bearable: t.app.Runs()}
		t.dropCandidate()
	case t.failed.Ends().Code == process.ExitRejected: // by this transaction
		t.stayUnproved(t.rejected)
	default: // nobody has found anything wrong with what is in force: it is tried again
		t.endTransaction()
	}
	t.wentFrom = 0
}

// takenBack goes on with the generation in force again.
func (t *transition) takenBack(e withdrawn) {
	// as the log says
	further, reached, wasLive := t.wentFrom != 0, t.exposure.reached(), t.exposure.published() && t.live != nil &&
		t.live.Number == t.candidate.Number
	t.exposure = hidden
	if reached {
		t.exposure = restored
	}
	t.started, t.wentFrom, t.leftAtHUP = false, 0, false
	t.untidy = true // the candidate, or one of a confit that was killed
	t.endTrial()
	changes := t.candidate.Changes
	if further {
		changes, t.pendingProof = e.changes, "" // the log has said it
		if t.ladder.HasAccepted() && t.rejected.IsOf(t.accepted().Inputs) {
			t.accepted().Fallback = false
			t.lift()
		}
		t.rebase(changes)
	}
	t.live = t.sinceNow(t.accepted().Generation)
	switch {
	case !t.ladder.HasAccepted():
	case further && t.ladder.IsDown():
		t.Warn("going down the ladder", append(t.goingBack("reason", t.ladder.DownReason(),
			"above", t.ladder.Top().Number,
			"soak", t.config.SoakFor(), "changed", named(changes)), t.willAsk(changes)...)...)
		t.rolledBack(true)
		return
	case further || t.exposure == restored:
		t.Info("rolled back", t.goingBack("changed", named(changes))...)
		t.rolledBack(further)
		return
	}
	if wasLive {
		t.Info("generation withdrawn", about(t.candidate.Generation, "live", t.standing())...)
	}
	t.head()
}

// rolledBack makes the app read the accepted generation again.
func (t *transition) rolledBack(further bool) {
	t.count.RollBacks++
	switch runs := t.app.Runs(); {
	case runs && further: // it was started on the other one
		t.restart("it has to start on generation "+fmt.Sprint(t.accepted().Number), "")
	case runs && t.reloadAction.Kind == config.None: // the app looks at its files by itself
		t.endTransaction()
	default:
		t.makeAppRead()
	}
}
