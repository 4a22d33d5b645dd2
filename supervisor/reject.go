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

// retry is when a rejected candidate is tried again.
type retry struct {
	at    time.Time     // zero: not before a change
	wait  time.Duration // the last wait, which is doubled
	again bool          // the transaction under way is such a try
}

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
	level := slog.LevelError
	again := t.retry.again && t.candidate.Hash == t.rejected
	if again {
		level = slog.LevelWarn
		t.planRetry(2 * t.retry.wait)
	} else {
		t.planRetry(t.config.Retry)
	}
	t.refused, t.rejected = true, t.candidate.Hash
	t.recordRejection(step, reason, tail, again)
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	todo := "mend the configuration: the next change is tried"
	if t.neverStarted() && !t.hasAccepted() {
		todo = "mend the configuration and start again"
	} else if !t.retry.at.IsZero() {
		keys = append(keys, "nextTry", t.retry.wait)
	}
	t.say(level, "candidate rejected", append(keys, "live", t.standing(), "todo", todo)...)
	t.abandon(config.ExitRejected, &Rejected{reason, tail})
}

// rejectAccepted goes back further: the app can't live on the accepted
// generation, which it was only reloaded with before. A daemon that finishes
// its work first reads what is bad when its probation is over.
func (t *transition) rejectAccepted(step string, reason error, tail string) {
	if t.isAccepted() || t.candidate.Number == 0 && !t.refused { // what is mounted is just this
		t.candidate.Generation = t.accepted.Generation
		t.refused, t.rejected, t.retry = true, t.accepted.Hash, retry{}
		t.recordRejection(step, reason, tail, false)
	}
	t.say(slog.LevelError, "candidate rejected", "step", step, "reason", reason.Error(), "hash", t.accepted.Hash,
		"live", name(t.accepted.Earlier), "todo", "mend the configuration: the next change is tried")
	t.further = true
	t.withdraw()
}

// maxRetry is where the doubling of the wait ends.
const maxRetry = 5 * time.Minute

// planRetry sets when the candidate that is being rejected is tried again: what
// it failed of may pass, such as a name that can't be resolved. One that the app
// was reloaded with, or that took confit along, isn't tried before a change:
// that would cost service once more.
func (t *transition) planRetry(wait time.Duration) {
	t.retry = retry{}
	if !t.exposure.reached() && t.candidate.Kills < maxKills {
		wait = min(wait, maxRetry)
		t.retry = retry{at: t.now.Add(wait), wait: wait}
	}
}

// abandon ends a transaction that led to nothing. What was published is taken
// back first; at the first start everything is, as it was there before.
func (t *transition) abandon(code int, reason error) {
	t.leaving, t.cause = code, reason
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
	if t.further {
		t.order(withdrawing, goBack{})
	} else {
		t.order(withdrawing, withdraw{})
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
		case t.neverStarted() && !t.further:
			t.leave(t.leaving, t.cause)
		case !t.app.runs(): // it waits for this
			t.enter(withdrawing, tryAgain)
		default:
			t.enter(withdrawing, t.config.Rescan)
		}
	}
}

// takenBack goes on with what is in force again.
func (t *transition) takenBack() {
	further := t.further
	t.exposure = t.exposure.takenBack()
	t.started, t.further, t.leftAtHUP = false, false, false
	if further {
		t.accepted = linker.Accepted{Generation: t.accepted.Earlier, Survived: true}
		t.recordAccepted()
		t.unstored = alreadyStored
		if t.rejected == t.accepted.Hash { // what is mounted is what is gone back to
			t.refused, t.retry = false, retry{}
		}
	}
	t.recordLive(t.accepted.Generation)
	if t.exposure == restored || further {
		t.rolledBack(further)
	} else {
		t.giveUp()
	}
}

// rolledBack makes the app read the accepted generation, which is in force
// again.
func (t *transition) rolledBack(further bool) {
	t.leaving, t.cause = 0, nil
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
	code, reason := t.leaving, t.cause
	t.leaving, t.cause = 0, nil
	switch {
	case !t.neverStarted():
		t.rest()
	case t.hasAccepted() && t.degraded == "":
		t.say(slog.LevelWarn, "starting on the last accepted generation: what is mounted can't be used", "generation", t.accepted.Number, "hash", t.accepted.Hash)
		t.untidy = true // what the former confit was proving is no longer needed
		t.start()
	default:
		t.leave(code, reason)
	}
}

// name is what a generation is called in a log line.
func name(g linker.Generation) string {
	if g.Number == 0 {
		return "none"
	}
	return fmt.Sprintf("generation %d, %v", g.Number, g.Hash)
}
