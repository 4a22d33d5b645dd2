package supervisor

import (
	"fmt"
	"time"

	"confit/linker"
	"confit/supervisor/app"
)

// What a kill of confit would say in this moment, and what the kills and the ends before say of the
// candidate.

// recordTrial has recorded what a kill of confit would say in this moment, if that is news. The
// life of an app counts; a death that is held isn't in the note yet.
func (t *transition) recordTrial() {
	life := t.accepted().Inputs
	switch {
	case t.trials.IsOpen():
	case t.held.before != nil:
		return
	case !t.app.Runs() || t.app.Phase == app.Stopping || !t.lifeCounts() || t.onApp().StopMarked():
		life = linker.Hash{}
	}
	if trial := t.trials.Now(life); t.trials.Record(trial) {
		t.assign(record{trial: trial})
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
	return t.trials.Kills(t.candidate.Inputs)
}

// enterTrial begins a step of the trial. A kill says nothing of what was accepted, where a life
// counts, nor of the fallback, unless that is the last rung: nothing else is left.
func (t *transition) enterTrial(step string) {
	if t.candidate.Fallback && !t.ladder.IsDown() || t.isProven() {
		t.trials.Pause()
	} else {
		kills := t.kills()
		if step == linker.StepEntry && t.trials.Former.Step != step { // what happens there counts by itself
			kills = 0
		}
		t.trials.Begin(t.candidate.Inputs, step, t.suspectsIn(step), kills)
	}
}

// goOnTrial goes on with the trial of the candidate, if it is tried, in another step.
func (t *transition) goOnTrial(step string) {
	if t.trials.IsOpen() {
		t.enterTrial(step)
	}
}

// endTrial ends the trial before confit's eyes: the candidate was taken back, or confit is asked to
// stop.
func (t *transition) endTrial() {
	t.trials.End()
	t.recordTrial() // before another hook runs
}

// mayBeDeadly reports that confit was killed with the candidate, and that the app isn't started
// yet.
func (t *transition) mayBeDeadly() bool {
	return t.kills() > 0 && t.neverStarted() && !t.isAccepted()
}

func (t *transition) killKeys() []any {
	return []any{"hash", t.candidate.Hash, "step", t.trials.Former.Step, "kills", t.kills(),
		"suspects", t.trials.Former.Suspects}
}

// tooOften says why what confit was killed with isn't tried again.
func (t *transition) tooOften() error {
	if t.trials.Former.Step == linker.StepEntry {
		return fmt.Errorf("the app ended %d times at its entrypoint, or confit was killed there", t.kills())
	}
	return fmt.Errorf("confit was killed %d times while it tried this generation: suspect %s", t.kills(),
		t.trials.Former.Suspects)
}

// endedAtEntrypoint reports that the app has ended at its entrypoint, when the candidate is tried
// and the app has worked there for longer than a probation: what its script needs may be away.
// Without a probation each end is the candidate's at once.
func (t *transition) endedAtEntrypoint() bool {
	wait := t.config.Probation
	return t.phase == beginning && t.trials.IsAtEntrypoint() && wait > 0 && t.over(t.app.Since.Add(wait))
}

// confirmedAt is when the app has lived through a probation on something else than what it has
// ended on at its entrypoint; zero: nobody waits for that.
func (t *transition) confirmedAt() time.Time {
	if !t.trials.IsUnconfirmed() || !t.app.Runs() || t.app.IsAtEntrypoint() {
		return noDeadline
	}
	return t.app.Entry.Begun.Add(t.config.Probation)
}

// putOffWait is how long what was put off waits for an app that was started this moment.
func (t *transition) putOffWait() time.Duration { return min(t.config.Rescan, app.HandlerWait) }

// confirm counts an end at the entrypoint once the app has lived on something else. What ended
// there is tried again.
func (t *transition) confirm() {
	if t.isDue(t.confirmedAt()) {
		t.trials.Confirm()
		t.putOffBy, t.fingerprint = t.now.Add(t.putOffWait()), ""
	}
}

// waitsForOther reports that the candidate waits until the app has lived on something else.
func (t *transition) waitsForOther() bool {
	return t.trials.IsUnconfirmed() && t.trials.Former.Hash == t.candidate.Inputs && !t.neverStarted()
}
