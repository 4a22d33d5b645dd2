package supervisor

import (
	"fmt"
	"time"

	"confit/linker"
	"confit/supervisor/app"
	"confit/supervisor/verdict"
)

// What a kill of confit would say in this moment, and what a former confit has said so of the
// candidate.

// provisional is the verdict that a kill of confit would write in this moment. The life of an app
// counts; a death that is held isn't in the note yet.
func (t *transition) provisional() *verdict.Verdict {
	is, life := t.recorded, t.accepted().Inputs
	switch {
	case t.risk.step != "" && t.candidate.Unrun: // what the renderer made before it was killed is tried
		return verdict.Killed(nil, t.candidate.Inputs, t.risk.step, t.risk.suspects)
	case t.risk.step != "":
		return verdict.Killed(t.killed, t.candidate.Inputs, t.risk.step, t.risk.suspects)
	case t.before != nil:
		return is
	case !t.app.Runs() || t.app.Phase == app.Stopping || !t.lifeCounts() || t.onApp().StopMarked():
		return t.killed
	case is.IsIn(linker.StepPublish) && is.IsOf(life): // it goes on
		return is
	}
	return verdict.Killed(nil, life, linker.StepPublish, "the app")
}

// recordTrial has that recorded, if it is news.
func (t *transition) recordTrial() {
	if now := t.provisional(); now.Record() != t.recorded.Record() {
		t.recorded = now
		t.assign(record{trial: now.Record()})
	}
}

// isProven reports that just these bytes were accepted.
func (t *transition) isProven() bool { return t.isAccepted() && !t.candidate.Unrendered }

// kills is how often confit was killed while it tried the candidate. That the renderer isn't run is
// all that follows from a kill in that.
func (t *transition) kills() int {
	if t.isProven() || t.candidate.Unrun {
		return 0
	}
	return t.killed.Kills(t.candidate.Inputs)
}

// enterTrial begins a step in which a kill would count. It says nothing of what was accepted, where a
// life counts, nor of the fallback, unless that is the last rung: nothing else is left.
func (t *transition) enterTrial(step string) {
	t.pauseTrial()
	if !t.excused && !t.isProven() && (!t.candidate.Fallback || t.ladder.IsDown()) {
		t.risk = risk{step, t.suspectsIn(step)}
	}
}

// goOnTrial goes on with the trial of the candidate, if it is tried, in another step.
func (t *transition) goOnTrial(step string) {
	if t.risk.step != "" {
		t.enterTrial(step)
	}
}

// pauseTrial is for a wait beside an app that runs: it alone uses memory, and it hasn't read the
// candidate.
func (t *transition) pauseTrial() { t.risk = risk{} }

// endTrial ends the trial before confit's eyes, and forgets that a former one was killed in just this
// step. A candidate that isn't tried, as it has killed confit too often, keeps its record.
func (t *transition) endTrial() {
	if t.killed.IsOf(t.candidate.Inputs) && t.killed.IsIn(t.risk.step) {
		t.forgetKills()
	}
	t.pauseTrial()
	t.recordTrial() // before another hook runs
}

// forgetKills forgets what confit was killed with.
func (t *transition) forgetKills() { t.killed = nil }

// endAtEntrypoint keeps what a kill would say: the app has ended at its entrypoint.
func (t *transition) endAtEntrypoint() {
	t.killed = t.provisional()
	t.pauseTrial()
}

// mayBeDeadly reports that confit was killed with the candidate, and that the app isn't started
// yet.
func (t *transition) mayBeDeadly() bool {
	return t.kills() > 0 && t.neverStarted() && !t.isAccepted()
}

func (t *transition) killKeys() []any {
	v := t.killed
	return []any{"hash", t.candidate.Hash, "step", v.Step, "kills", t.kills(), "suspects", v.Reason}
}

// tooOften says why what confit was killed with isn't tried again.
func (t *transition) tooOften() error {
	if t.killed.IsIn(linker.StepEntry) {
		return fmt.Errorf("the app ended %d times at its entrypoint, or confit was killed there", t.kills())
	}
	return fmt.Errorf("confit was killed %d times while it tried this generation: suspect %s", t.kills(),
		t.killed.Reason)
}

// endedAtEntrypoint reports that the app has ended at its entrypoint, when the candidate is tried
// and the app has worked there for longer than a probation: what its script needs may be away.
// Without a probation each end is the candidate's at once.
func (t *transition) endedAtEntrypoint() bool {
	wait := t.config.Probation
	return t.phase == beginning && t.risk.step == linker.StepEntry && wait > 0 && t.over(t.app.Since.Add(wait))
}

// confirmedAt is when the app has lived through a probation on something else than what it has
// ended on at its entrypoint; zero: nobody waits for that.
func (t *transition) confirmedAt() time.Time {
	if !t.killed.IsUnconfirmed() {
		return noDeadline
	}
	return t.survivesAt()
}

// survivesAt is when the app has lived through a probation since it has begun; zero: it hasn't
// begun.
func (t *transition) survivesAt() time.Time {
	if !t.app.Runs() || t.app.IsAtEntrypoint() {
		return noDeadline
	}
	return t.app.Entry.Begun.Add(t.config.Probation)
}

// putOffWait is how long what was put off waits for an app that was started this moment.
func (t *transition) putOffWait() time.Duration { return min(t.config.Rescan, app.HandlerWait) }

// tryLater has a later look stage what was put off.
func (t *transition) tryLater(v *verdict.Verdict) {
	if !v.IsUnconfirmed() {
		v = v.Waits(t.now, t.putOffWait())
		t.forgetLook()
	}
	t.killed = v
}

// tryNow is for a look, which stages what was put off.
func (t *transition) tryNow() { t.killed = t.killed.Untried() }

// confirm counts an end at the entrypoint once the app has lived on something else. What ended
// there is tried again.
func (t *transition) confirm() {
	if t.isDue(t.confirmedAt()) {
		t.tryLater(t.killed.Confirmed())
	}
}

// waitsForOther reports that the candidate waits until the app has lived on something else.
func (t *transition) waitsForOther() bool {
	v := t.killed
	return v.IsUnconfirmed() && v.IsOf(t.candidate.Inputs) && !t.neverStarted()
}
