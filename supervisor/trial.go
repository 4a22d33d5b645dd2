package supervisor

import (
	"confit/linker"
	"confit/supervisor/app"
)

// A kill of confit while it tries a candidate counts: an edit that makes the cgroup run out of
// memory ends PID 1, too, by the app or by a hook. The trial is what a kill would say in this
// moment. It follows from the state, and the linker records it.

// trial says that the candidate is tried, or that the app's life counts. Else it is what is known of
// a confit that was killed before.
func (t *transition) trial() linker.Trial {
	switch {
	case t.open.Step != "":
		return t.open
	case t.held.before != nil: // the note doesn't have that yet
		return t.recorded
	case !t.app.Runs() || t.app.Phase == app.Stopping || !t.lifeCounts() || t.onApp().StopMarked():
		return t.killed
	case t.recorded.Step == linker.StepPublish && t.recorded.Hash == t.accepted().Inputs: // it goes on
		return t.recorded
	}
	return linker.Trial{Hash: t.accepted().Inputs, Step: linker.StepPublish, Kills: 1, Suspects: "the app"}
}

// keepTrial has the trial recorded.
func (t *transition) keepTrial() {
	if trial := t.trial(); trial != t.recorded {
		t.recorded = trial
		t.assign(arm{trial: trial})
	}
}

// isOnTrial reports that a kill of confit says something of the candidate. It says
// nothing of what was accepted, where a life counts, nor of the fallback, unless that is the last
// rung: nothing else is left.
func (t *transition) isOnTrial() bool {
	return !t.excused && (!t.candidate.Fallback || t.isDown()) && !t.isProven()
}

// isProven reports that just these bytes were accepted.
func (t *transition) isProven() bool { return t.isAccepted() && !t.candidate.Unrendered }

// kills is how often confit was killed while it tried the candidate. That the renderer
// isn't run is all that follows from a kill in that.
func (t *transition) kills() int {
	if t.killed.Hash != t.candidate.Inputs || t.isProven() || t.candidate.Unrun {
		return 0
	}
	return t.killed.Kills
}

// enterTrial begins a step of the trial, if the candidate is on trial.
func (t *transition) enterTrial(step, suspects string) {
	if t.open = (linker.Trial{}); t.isOnTrial() {
		t.open = linker.Trial{Hash: t.candidate.Inputs, Step: step, Kills: t.kills() + 1, Suspects: suspects}
	}
}

// pauseTrial is for a wait beside an app that runs: it alone uses memory, and it hasn't read
// the candidate.
func (t *transition) pauseTrial() { t.open = linker.Trial{} }

// endTrial ends the trial before confit's eyes: the candidate was taken back, or confit is asked
// to stop. That a former one was killed in just this step is forgotten. A candidate that isn't
// tried, as it has killed confit too often, keeps its record.
func (t *transition) endTrial() {
	if t.open.Step == t.killed.Step && t.open.Hash == t.killed.Hash {
		t.killed = linker.Trial{}
	}
	t.open = linker.Trial{}
	t.keepTrial() // before another hook runs
}
