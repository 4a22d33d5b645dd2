package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/linker"
	"confit/process"
)

// Rejected is why confit ended before the app was started.
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
	stands  bool          // what is mounted isn't live, and the log says so
	hash    linker.Hash   // of the candidate; zero when it had none
	nextTry time.Time     // zero: only a change is tried
	wait    time.Duration // before nextTry; the next wait is twice as long
	cost    costly        // outlives what is rejected before it is rendered
}

// costly is a candidate that was rejected after the app had read it. A renderer
// that fails now and then must not bring it back to the app again and again.
type costly struct {
	hash   linker.Hash // zero: there is none
	inputs linker.Hash // before it was rendered; zero: not known yet
}

func (c costly) is(hash linker.Hash) bool { return c.hash != linker.Hash{} && c.hash == hash }

// isDue reports that it is time to try again.
func (r rejection) isDue(now time.Time) bool { return !r.nextTry.IsZero() && !now.Before(r.nextTry) }

// fail takes back what is to blame for a proof that failed.
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
	switch {
	case t.onFallback():
		t.rejectFallback(step, reason)
		return
	case t.exposure.reached() && !t.hasResort():
		t.keep(step, reason, tail)
		return
	}
	again := t.isRetry && t.candidate.Hash == t.rejection.hash
	outcome := t.failure()
	t.planRetry(again)
	t.judge(verdict{
		line:      t.rejected(step, reason, again),
		rejection: t.rejectionFor(step, reason, tail, again),
		report:    t.outcome(outcome, hexOf(t.candidate.Shared), step, reason.Error()),
	})
	end := exit{process.ExitRejected, &Rejected{reason, tail}}
	if t.exposure.reached() && !t.hasAccepted() {
		t.stays = t.app.runs() // it is only not well
		end = t.lastResort
	}
	t.stays = t.stays || step == "gate"
	t.abandon(end)
}

// failure is the outcome of a candidate that is rejected now.
func (t *transition) failure() string {
	if t.exposure.reached() {
		return outcomeRolledBack
	}
	return outcomeRejected
}

// maxRetry bounds the wait, which doubles with each try.
const maxRetry = 5 * time.Minute

// planRetry sets when the rejected candidate is tried again: its failure may
// pass, as when a name can't be resolved. A candidate that the app was reloaded
// with, or that confit was killed with, waits for a change: another try would
// cost service again.
func (t *transition) planRetry(again bool) {
	wait := t.config.Retry
	if again {
		wait = 2 * t.rejection.wait
	}
	cost := t.rejection.cost
	if t.exposure.reached() {
		cost = costly{t.candidate.Hash, t.inputs}
	}
	t.isRetry, t.rejection = false, rejection{stands: true, hash: t.candidate.Hash, cost: cost}
	if !t.exposure.reached() && t.candidate.Kills < maxKills && !cost.is(t.candidate.Hash) {
		t.rejection.wait = min(wait, maxRetry)
		t.rejection.nextTry = t.now.Add(t.rejection.wait)
	}
}

// rejected is the log line of a candidate that is rejected.
func (t *transition) rejected(step string, reason error, again bool) say {
	level := slog.LevelError
	if again {
		level = slog.LevelWarn
	}
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	if t.hasAccepted() && len(t.candidate.Changes) > 0 {
		keys = append(keys, "changed", named(t.candidate.Changes))
	}
	todo := mendIt
	switch {
	case t.nothingToStartOn():
		todo = "mend the configuration and start again"
	case step == "gate":
		todo = "wait: the gate is asked again"
	case reason.Error() == t.app.beyond:
		todo = "let confit signal the app: the candidate is tried again"
	}
	if !t.nothingToStartOn() && !t.rejection.nextTry.IsZero() {
		keys = append(keys, "nextTry", t.rejection.wait)
	}
	return say{level, "candidate rejected", append(keys, "live", t.standing(), "todo", todo)}
}

// mendIt is what to do about a configuration that was rejected.
const mendIt = "mend the configuration: the next change is tried"

// rejectAccepted goes back to the earlier generation. The app was only reloaded
// with the accepted one before, and can't live on it: a daemon that finishes its
// work first reads a bad file when its probation is over.
func (t *transition) rejectAccepted(step string, reason error, tail string) {
	v := verdict{
		line: say{slog.LevelError, "candidate rejected", []any{"step", step, "reason", reason.Error(), "hash", t.accepted.Hash,
			"live", name(t.accepted.Earlier), "todo", mendIt}},
		report: t.outcome(outcomeRolledBack, hexOf(t.accepted.Shared), step, reason.Error()),
	}
	if t.isAccepted() || t.candidate.Number == 0 && !t.rejection.stands { // what is mounted is just this
		t.candidate.Generation = t.accepted.Generation
		t.rejection = rejection{stands: true, hash: t.accepted.Hash, cost: costly{hash: t.accepted.Hash}}
		v.rejection = t.rejectionFor(step, reason, tail, false)
	}
	t.judge(v)
	t.backToEarlier = true
	t.withdraw()
}

// abandon ends a transaction that led to nothing. What was published is taken
// back first; before the app ever ran everything is, whatever a former confit left.
func (t *transition) abandon(lastResort exit) {
	t.resortTo(lastResort)
	switch {
	case t.exposure.published() && t.app.runs() && !t.hasAccepted():
		t.serve()
		t.keeper().stopFor(stayDown, "it must not stay on what was rejected")
	case t.exposure.published() || t.neverStarted():
		t.withdraw()
	default:
		t.assign(discard{})
		t.giveUp()
	}
}

// giveUp goes on with the accepted generation. Without one the fallback is tried,
// once. If nothing is left, what is mounted decides how confit ends.
func (t *transition) giveUp() {
	switch {
	case t.app.runs() || !t.neverStarted() && t.hasAccepted():
		t.rest()
	case t.hasAccepted():
		t.say(slog.LevelWarn, "starting on the last accepted generation: what is mounted can't be used", append([]any{"generation", t.accepted.Number, "hash", t.accepted.Hash}, t.age()...)...)
		t.untidy = true // the former confit's candidate may be left
		t.start()
	case t.fallback:
		t.fallBack()
	case t.stays:
		t.stageMounted()
	case t.neverStarted():
		t.leave(t.lastResort)
	default: // something of the app may be left
		t.endWith(t.lastResort)
	}
}

// name is what a generation is called in a log line.
func name(g linker.Generation) string {
	if g.Number == 0 {
		return "none"
	}
	return fmt.Sprintf("generation %d, %v", g.Number, g.Hash)
}
