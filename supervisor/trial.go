package supervisor

import (
	"confit/linker"
)

// inStep has the trial of the candidate name what it goes through.
func (t *transition) inStep(step string) {
	if t.isOnTrial() {
		t.setTrials(t.trialIn(step), t.killed)
	}
}

// isOnTrial reports that a kill of confit says something of the candidate. It says
// nothing of what an app has survived a start on, nor of the fallback: nothing else
// is left.
func (t *transition) isOnTrial() bool {
	return !t.excused && !t.candidate.Fallback && !t.isProven()
}

// isProven reports that an app has survived a start on just these bytes.
func (t *transition) isProven() bool {
	return t.isAccepted() && t.accepted.Survived && !t.candidate.Unrendered
}

func (t *transition) trialIn(step string) linker.Trial {
	return linker.Trial{Hash: t.candidate.Hash, Step: step, Kills: t.kills() + 1}
}

// kills is how often confit was killed while it tried the candidate.
func (t *transition) kills() int {
	if t.killed.Hash != t.candidate.Hash || t.isProven() {
		return 0
	}
	return t.killed.Kills
}

// setTrials has the linker record the trial that is open or, if none is, the one in
// which a former confit was killed.
func (t *transition) setTrials(open, killed linker.Trial) {
	before := *t.trialOnDisk()
	t.open, t.killed = open, killed
	if now := t.trialOnDisk(); *now != before {
		t.assign(arm{trial: *now})
	}
}

func (s *state) trialOnDisk() *linker.Trial {
	if s.open.Step != "" {
		return &s.open
	}
	return &s.killed
}

// endStep ends the trial of a step that is over. That confit was killed with the same
// candidate in another step stays known.
func (t *transition) endStep() {
	if t.open.Step != t.killed.Step {
		t.setTrials(linker.Trial{}, t.killed)
	} else {
		t.endTrial()
	}
}

// endTrial ends the trial without a verdict: a confit that is killed from now on was
// asked to stop, or the app went well or badly before its eyes. A candidate that
// isn't tried, as it has killed confit too often, keeps its record: the next confit
// refuses it as well.
func (t *transition) endTrial() {
	killed := t.killed
	if t.open.Hash == killed.Hash {
		killed = linker.Trial{}
	}
	if t.open.Step != "" {
		t.setTrials(linker.Trial{}, killed)
	}
}

// forgetKills is for a candidate that is accepted. That confit was killed while the
// renderer ran on the same keys stays known, if it didn't run again.
func (t *transition) forgetKills() {
	if t.candidate.Unrun {
		t.endTrial()
	} else {
		t.setTrials(linker.Trial{}, linker.Trial{})
	}
}
