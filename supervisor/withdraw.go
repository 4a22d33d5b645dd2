package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// withdrawLate is the deadline of a withdrawal, or of the pause after the system
// refused one.
func (t *transition) withdrawLate() {
	if t.busy {
		t.remind()
	} else {
		t.withdraw()
	}
}

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
			t.say(slog.LevelWarn, "not everything could be put back: it is tried again", "error", e.undone.Error(), "nextTry", t.config.Rescan)
		}
		t.takenBack(e)
	case lost:
		t.goFurther(e.err)
	case failed:
		t.reportSystemError(e.err)
		switch {
		case t.neverStarted() && !t.backToEarlier && t.hasAccepted(): // it can't be put in force, and so not be started on
			t.endNow(exit{process.ExitSystem, e.err})
		case t.neverStarted() && !t.backToEarlier: // whatever follows replaces what is published
			t.endTrial()
			t.goOn()
		case !t.app.runs(): // it waits for this
			t.enter(withdrawing, tryAgain)
		default:
			t.enter(withdrawing, t.config.Rescan)
		}
	}
}

// goFurther goes on without what was to be gone back to: with the earlier generation, with the
// fallback, or with what is in force. Where no app runs on that it is the end.
func (t *transition) goFurther(err error) {
	t.say(slog.LevelError, "generation not gone back to", "error", err.Error())
	switch {
	case !t.backToEarlier && t.accepted.Earlier.Number != 0:
		t.backToEarlier, t.lost = true, true
		t.withdraw()
	case t.backToEarlier && !t.lost && t.app.runs(): // on what was to be taken back
		t.accepted.Earlier, t.suspected, t.untidy = linker.Generation{}, nil, true
		t.endTransaction()
	case t.fallback || !t.app.runs():
		t.setback = setback{true, exit{process.ExitSystem, err}, t.app.runs()}
		t.accepted, t.backToEarlier, t.suspected = linker.Accepted{}, false, nil
		t.dropCandidate()
	case t.rejection.stands && t.rejection.hash == t.candidate.Hash:
		t.passVerdict()
		t.accepted = linker.Accepted{}
		t.stayUnproved()
	default: // nobody has found anything wrong with what is in force: it is tried again
		t.accepted = linker.Accepted{}
		t.endTransaction()
	}
}

// takenBack goes on with the generation in force again.
func (t *transition) takenBack(e withdrawn) {
	further, wasLive := t.backToEarlier, t.isLive()
	t.exposure = t.exposure.takenBack()
	t.started, t.backToEarlier, t.lost, t.leftAtHUP = false, false, false, false
	t.untidy = true // the candidate, or one of a confit that was killed
	t.endTrial()
	if further {
		t.acceptEarlier()
		t.rebase(e.changes)
	}
	t.live = t.sinceNow(t.accepted.Generation)
	if t.hasAccepted() && (t.exposure == restored || further) {
		changes := t.candidate.Changes
		if further {
			changes = e.changes
		}
		t.say(slog.LevelInfo, "rolled back", append([]any{"generation", t.accepted.Number, "hash", t.accepted.Hash, "changed", named(changes)}, t.age()...)...)
		t.rolledBack(further)
		return
	}
	if wasLive {
		t.say(slog.LevelInfo, "generation withdrawn", "generation", t.candidate.Number, "hash", t.candidate.Hash, "live", t.standing())
	}
	t.goOn()
}

// isLive reports that the log has said of the candidate that it is published.
func (t *transition) isLive() bool {
	return t.exposure.published() && t.live != nil && t.live.Number == t.candidate.Number
}

// acceptEarlier makes the earlier generation the accepted one.
func (t *transition) acceptEarlier() {
	earlier := t.accepted.Earlier
	t.accepted, t.unsaid = linker.Accepted{Generation: earlier, Survived: true, Settled: true, Told: t.accepted.ToldOf(earlier)}, "" // the log has said it
	if t.accepted == t.note.held.Accepted {
		t.note.trouble = ""
	}
	if t.rejection.hash == t.accepted.Hash { // it is the mounted configuration
		t.rejection, t.accepted.Fallback = rejection{}, false
	}
}

// age is a key that says how old what the app goes back to is. It may be months.
func (t *transition) age() []any {
	if at := t.accepted.AcceptedAt; at != 0 {
		return []any{"age", max(t.now.Sub(time.Unix(at, 0)), 0).Truncate(time.Second)}
	}
	return nil
}

// rolledBack makes the app read the accepted generation again.
func (t *transition) rolledBack(further bool) {
	t.count.RollBacks++
	switch {
	case t.neverStarted():
		t.start()
	case !t.app.runs():
		t.drain(startAgain)
	case further: // it was started on the other one
		t.restart("it has to start on generation " + fmt.Sprint(t.accepted.Number))
	case t.reloadAction.Kind == config.None: // the app looks at its files by itself
		t.endTransaction()
	default:
		t.reload()
	}
}
