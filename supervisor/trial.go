package supervisor

import (
	"confit/linker"
	"confit/supervisor/app"
)

// recordTrial has recorded what a kill of confit would say in this moment, if that is news. The life of an app counts; a death that is held isn't in
// the note yet.
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

// kills is how often confit was killed while it tried the candidate. That the renderer
// isn't run is all that follows from a kill in that.
func (t *transition) kills() int {
	if t.isProven() || t.candidate.Unrun {
		return 0
	}
	return t.trials.Kills(t.candidate.Inputs)
}

// enterTrial begins a step of the trial. A kill says nothing of what was accepted, where a life counts, nor of the fallback, unless that is the
// last rung: nothing else is left.
func (t *transition) enterTrial(step string) {
	if t.candidate.Fallback && !t.ladder.IsDown() || t.isProven() {
		t.trials.Pause()
	} else {
		t.trials.Begin(t.candidate.Inputs, step, t.suspectsIn(step), t.kills())
	}
}

// endTrial ends the trial before confit's eyes: the candidate was taken back, or confit is asked
// to stop.
func (t *transition) endTrial() {
	t.trials.End()
	t.recordTrial() // before another hook runs
}
