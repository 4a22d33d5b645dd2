package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
)

// Rejected is why confit left before the app was started.
type Rejected struct {
	Reason error
	Tail   string // the last that the hook printed, when it was a hook
}

func (r *Rejected) Error() string {
	return "cannot start: the first configuration was rejected: " + r.Reason.Error()
}

func (r *Rejected) Unwrap() error { return r.Reason }

// exit is how confit ends.
type exit struct {
	code   int
	reason error // nil when the app or the platform decided it
}

// rejection is what became of what is mounted, if it was rejected.
type rejection struct {
	stands  bool          // it is not what is live, and that was said
	hash    linker.Hash   // zero when it had none
	nextTry time.Time     // zero: not before a change
	wait    time.Duration // the last wait for it, which is doubled
}

// isDue reports that it is time to try again.
func (r rejection) isDue(now time.Time) bool { return !r.nextTry.IsZero() && !now.Before(r.nextTry) }

// fail ends a proof that went wrong: what is to blame is taken back.
func (t *transition) fail(step string, reason error, tail string) {
	if t.suspect() == theAccepted {
		t.rejectAccepted(step, reason, tail)
	} else {
		t.reject(step, reason, tail)
	}
}

// reject drops the candidate, and says what was rejected, what stays in force
// and what to do.
func (t *transition) reject(step string, reason error, tail string) {
	if t.exposure.reached() && !t.hasAccepted() {
		t.keep(step, reason)
		return
	}
	again := t.isRetry && t.candidate.Hash == t.rejection.hash
	t.planRetry(again)
	t.recordRejection(step, reason, tail, again)
	t.sayRejected(step, reason, again)
	t.abandon(exit{config.ExitRejected, &Rejected{reason, tail}})
}

// maxRetry is where the doubling of the wait ends.
const maxRetry = 5 * time.Minute

// planRetry sets when the candidate that is being rejected is tried again: what
// it failed of may pass, such as a name that can't be resolved. One that the app
// was reloaded with, or that took confit along, isn't tried before a change:
// that would cost service once more.
func (t *transition) planRetry(again bool) {
	wait := t.config.Retry
	if again {
		wait = 2 * t.rejection.wait
	}
	t.isRetry, t.rejection = false, rejection{stands: true, hash: t.candidate.Hash}
	if !t.exposure.reached() && t.candidate.Kills < maxKills {
		t.rejection.wait = min(wait, maxRetry)
		t.rejection.nextTry = t.now.Add(t.rejection.wait)
	}
}

func (t *transition) sayRejected(step string, reason error, again bool) {
	level := slog.LevelError
	if again {
		level = slog.LevelWarn
	}
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	todo := mendIt
	if t.nothingToStartOn() {
		todo = "mend the configuration and start again"
	} else if !t.rejection.nextTry.IsZero() {
		keys = append(keys, "nextTry", t.rejection.wait)
	}
	t.say(level, "candidate rejected", append(keys, "live", t.standing(), "todo", todo)...)
}

// mendIt is what to do about a configuration that was rejected.
const mendIt = "mend the configuration: the next change is tried"

// rejectAccepted goes back further: the app can't live on the accepted
// generation, which it was only reloaded with before. A daemon that finishes
// its work first reads what is bad when its probation is over.
func (t *transition) rejectAccepted(step string, reason error, tail string) {
	if t.isAccepted() || t.candidate.Number == 0 && !t.rejection.stands { // what is mounted is just this
		t.candidate.Generation = t.accepted.Generation
		t.rejection = rejection{stands: true, hash: t.accepted.Hash}
		t.recordRejection(step, reason, tail, false)
	}
	t.say(slog.LevelError, "candidate rejected", "step", step, "reason", reason.Error(), "hash", t.accepted.Hash,
		"live", name(t.accepted.Earlier), "todo", mendIt)
	t.backToEarlier = true
	t.withdraw()
}

// abandon ends a transaction that led to nothing. What was published is taken
// back first; at the first start everything is, as it was there before.
func (t *transition) abandon(lastResort exit) {
	t.lastResort = lastResort
	if t.exposure.published() || t.neverStarted() {
		t.withdraw()
		return
	}
	t.do(discard{})
	t.giveUp()
}

// withdraw takes back what can't stay in force. Until that has worked nothing
// else is done, but it is tried again.
func (t *transition) withdraw() {
	if t.backToEarlier {
		t.order(withdrawing, goBack{})
	} else {
		t.order(withdrawing, withdraw{})
	}
}

// withdrawLate is the deadline of a withdrawal, or of the wait after one that
// the system refused.
func (t *transition) withdrawLate() {
	if t.busy {
		t.remind()
	} else {
		t.withdraw()
	}
}

func (t *transition) withdrawEnded(e event) {
	switch e := e.(type) {
	case withdrawn:
		if e.undone != nil {
			t.say(slog.LevelWarn, "not everything could be put back: it is tried again", "error", e.undone.Error(), "nextTry", t.config.Rescan)
		}
		t.takenBack()
	case failed:
		t.reportSystemError(e.err)
		switch {
		case t.neverStarted() && !t.backToEarlier:
			t.leave(t.lastResort)
		case !t.app.runs(): // it waits for this
			t.enter(withdrawing, tryAgain)
		default:
			t.enter(withdrawing, t.config.Rescan)
		}
	}
}

// takenBack goes on with what is in force again.
func (t *transition) takenBack() {
	further := t.backToEarlier
	t.exposure = t.exposure.takenBack()
	t.started, t.backToEarlier, t.leftAtHUP = false, false, false
	if further {
		t.acceptEarlier()
	}
	t.recordLive(t.accepted.Generation)
	if t.exposure == restored || further {
		t.rolledBack(further)
	} else {
		t.giveUp()
	}
}

// acceptEarlier makes the earlier generation the accepted one.
func (t *transition) acceptEarlier() {
	t.accepted = linker.Accepted{Generation: t.accepted.Earlier, Survived: true}
	t.recordAccepted()
	t.unstored = alreadyStored
	if t.rejection.hash == t.accepted.Hash { // it is what is mounted
		t.rejection = rejection{}
	}
}

// rolledBack makes the app read the accepted generation, which is in force
// again.
func (t *transition) rolledBack(further bool) {
	t.say(slog.LevelInfo, "rolled back", "generation", t.accepted.Number, "hash", t.accepted.Hash)
	t.seen.count.RollBacks++
	t.untidy = true // a confit that was killed may have left the one that it was proving
	switch {
	case t.neverStarted():
		t.start()
	case !t.app.runs():
		t.drain()
	case further: // it was started on the other one
		t.restart("it has to start on generation " + fmt.Sprint(t.accepted.Number))
	case t.reloadAction.Kind == config.None: // the app looks at its files by itself
		t.rest()
	default:
		t.reload()
	}
}

// giveUp goes on with what was accepted before. Without such a thing, before the
// app was ever started, that is the end of confit.
func (t *transition) giveUp() {
	switch {
	case !t.neverStarted():
		t.rest()
	case t.hasAccepted() && !t.isPlainInit():
		t.say(slog.LevelWarn, "starting on the last accepted generation: what is mounted can't be used", "generation", t.accepted.Number, "hash", t.accepted.Hash)
		t.untidy = true // what the former confit was proving is no longer needed
		t.start()
	default:
		t.leave(t.lastResort)
	}
}

// name is what a generation is called in a log line.
func name(g linker.Generation) string {
	if g.Number == 0 {
		return "none"
	}
	return fmt.Sprintf("generation %d, %v", g.Number, g.Hash)
}
