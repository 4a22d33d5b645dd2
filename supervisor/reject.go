package supervisor

import (
	"errors"
	"log/slog"
	"maps"
	"slices"

	"confit/linker"
	"confit/process"
	"confit/status"
	"confit/supervisor/app"
	"confit/supervisor/goal"
	"confit/supervisor/outcomes"
	"confit/supervisor/verdict"
)

// fail takes back what is to blame for a proof that failed.
func (t *transition) fail(step string, reason error, tail string) {
	if t.unacceptedInForce() {
		t.reject(step, reason, tail)
	} else {
		t.stayUnwell(step, reason)
	}
}

// reject drops the candidate, and says what is wrong with it, which generation stays in force and
// what to do.
func (t *transition) reject(step string, reason error, tail string) {
	t.isRetry = t.isRetry && t.rejected.IsOf(t.candidate.Inputs) // else something else is mounted by now
	switch {
	case t.candidate.Fallback:
		t.Error("fallback rejected", t.reasons(step, reason)...)
	case t.exposure.reached() && t.isLast():
		t.stayUnaccepted(step, reason, tail)
		return
	default:
		if t.asks {
			t.onLadder().Forgive()
		}
		v := t.verdictOn(step, reason, tail)
		v.Outcome = t.outcome(t.rejectedAs(step), hexOf(v.Common), step, v.Reason)
		t.against(v, t.lineOf(v, reason))
	}
	t.dropCandidate()
}

// rejectedAs is the outcome of the candidate. What another container has gone back from stays that.
func (t *transition) rejectedAs(step string) string {
	if t.exposure.reached() || step == stepSoak {
		return wayBack(t.candidate.Shared == t.accepted().Shared)
	}
	return outcomes.Rejected
}

// wayBack is the outcome of a generation that the app may have read. Nobody goes back from what all
// replicas share if that stays in force: something else is to blame.
func wayBack(stays bool) string {
	if stays {
		return outcomes.Rejected
	}
	return outcomes.RolledBack
}

// lineOf is the log line of a candidate that is rejected.
func (t *transition) lineOf(v *verdict.Verdict, reason error) *say {
	level := slog.LevelError
	if t.isRetry {
		level = slog.LevelWarn
	}
	keys := t.reasons(v.Step, reason)
	if len(t.candidate.Changes) > 0 {
		keys = append(keys, "changed", named(t.candidate.Changes))
	}
	if len(v.HeldUp) > 0 {
		keys = append(keys, "heldUp", status.FirstNames(slices.Sorted(maps.Keys(v.HeldUp))))
	}
	if !t.nothingToStartOn() && !v.Next.IsZero() {
		keys = append(keys, "nextTry", v.Wait)
	}
	return &say{level, "candidate rejected", append(keys, "live", t.standing(), "todo", t.todo(v.Step, reason))}
}

// todo is what to do about a configuration that was rejected.
func (t *transition) todo(step string, reason error) string {
	_, hook := errors.AsType[*notStarted](reason)
	switch {
	case hook && process.StartCode(reason) != process.ExitSystem:
		return "fix the links file or the image: the hook's program can't be started"
	case step == stepSoak:
		return soakTodo
	case t.asks:
		return askTodo
	case t.nothingToStartOn():
		return "fix the configuration and start again"
	case step == "gate":
		return "wait: the gate is asked again"
	case reason.Error() == t.app.SignalErr:
		return "let confit signal the app: the candidate is tried again"
	}
	return "fix the configuration: the next change is tried"
}

// reasons says why a candidate is rejected, and which one that is, if it was staged.
func (t *transition) reasons(step string, reason error) []any {
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	return keys
}

// stayUnwell goes on with an app that isn't well on what was accepted before. That it isn't may
// have a reason of its own, so nothing is taken back, and verify is asked again.
func (t *transition) stayUnwell(step string, reason error) {
	if step+": "+reason.Error() != t.ails() {
		t.Warn("app is not well on what was accepted: it goes on", "step", step,
			"reason", reason.Error(),
			"generation", t.accepted().Number, "hash", t.accepted().Hash, "nextTry", t.config.Retry)
	}
	if t.exposure.published() {
		t.makeAccepted(false)
	}
	t.againstInForce(step, reason)
	t.endTransaction()
}

// dropCandidate ends a transaction that led to nothing. A published candidate is taken back first.
// Before the app ever ran the accepted generation is put in force, whatever a former confit left
// there.
func (t *transition) dropCandidate() {
	switch {
	case t.exposure.published() && t.app.Runs() && !t.ladder.HasAccepted():
		t.serve()
		t.onApp().StopFor(app.StayDown, "it must not stay on what was rejected", "")
	case t.exposure.published() || t.neverStarted() && t.ladder.HasAccepted():
		t.withdraw()
	default:
		t.discard()
		t.head()
	}
}

// stageAgain drops a candidate, and has the volumes looked at once more, after what comes first.
func (t *transition) stageAgain() {
	t.forgetLook()
	t.pending = true
	t.dropCandidate()
}

// head goes where the goal is, as what was on its way is taken back.
func (t *transition) head() {
	switch t.goal(t.failedMount()) {
	case goal.Accepted, goal.AsIs:
		if t.neverStarted() {
			t.startOnAccepted()
		} else {
			t.endTransaction()
		}
	case goal.Older, goal.Newest:
		t.goDownKilled()
	case goal.Fallback:
		t.fallBack()
	case goal.Mounted:
		t.stageMounted()
	default:
		t.endWith(t.failed.Ends())
	}
}

func (t *transition) startOnAccepted() {
	switch {
	case t.ladder.IsDown():
		t.Warn("starting on a lower rung: the app died of what is above",
			t.goingBack("above", t.ladder.Top().Number, "soak", t.config.SoakFor())...)
	case !t.isMounted(*t.accepted()):
		t.Warn("starting on the last accepted generation: what is mounted can't be used",
			t.goingBack()...)
	}
	t.start()
}

// recoverFromExit takes back what is to blame for the exit, and starts the app again. A hook that
// works on the app is killed first; its end leads back here.
func (t *transition) recoverFromExit() {
	switch {
	case t.hook:
		t.expire()
	case t.appFailure != nil:
		step, reason := "probation", t.appFailure
		if t.endedAtEntrypoint() {
			step = linker.StepEntry
			t.endAtEntrypoint()
		}
		t.appFailure, t.byDeath = nil, true
		t.fail(step, reason, "")
	default:
		t.pending = t.pending || t.phase == settling // the app comes first
		t.drain(app.StartAgain)
	}
}

// systemRefused ends a transaction because the system refused the linker something.
func (t *transition) systemRefused(step string, err error) {
	t.changeWaits()
	if t.candidate.Fallback {
		t.reject(step, err, "")
		return
	}
	t.reportSystemError(err)
	t.noteFailed(&verdict.Verdict{End: exit{Code: process.ExitSystem, Reason: err}})
	t.dropCandidate()
}
