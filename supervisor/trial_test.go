package supervisor

import (
	"testing"

	"confit/linker"
)

// lives is a row of confits on one state directory, of which only the trial is left.
type lives struct {
	transition
	disk linker.Trial // what the file trial says
}

// is lets the next confit stage a candidate.
func (l *lives) is(hash byte) *lives {
	l.transition = transition{outbox: &outbox{}, state: state{killed: l.disk, accepted: l.accepted}}
	l.candidate = linker.Candidate{Generation: linker.Generation{Number: 9, Hash: linker.Hash{hash}}}
	return l
}

// then does something, and takes up what it writes.
func (l *lives) then(do func(t *transition)) *lives {
	do(&l.transition)
	for _, a := range l.actions {
		if a, ok := unwrapped(a).(arm); ok {
			l.disk = a.trial
		}
	}
	l.actions = nil
	return l
}

func (l *lives) isKilled(step string) {
	l.then(func(t *transition) { t.inStep(step) })
}

func (l *lives) want(t *testing.T, kills int) {
	t.Helper()
	if got := l.kills(); got != kills {
		t.Errorf("killed %d times, want %d", got, kills)
	}
}

// TestTrial: each kill in a trial counts, whatever the step.
func TestTrial(t *testing.T) {
	l := &lives{}
	for n, step := range []string{"validate", linker.StepProbation, "verify", "verify"} {
		l.is(1).want(t, n)
		l.isKilled(step)
	}
	l.is(1).want(t, 4)
	l.then((*transition).endTrial) // refused: it wasn't tried, so that stays known
	l.is(1).want(t, 4)
}

// TestTrial_ends: an end that confit has seen is no kill, nor is one of another
// candidate, nor what was accepted since.
func TestTrial_ends(t *testing.T) {
	for name, then := range map[string]func(l *lives){
		"rejected, or stopped": func(l *lives) {
			l.is(1).then(func(t *transition) { t.inStep("verify") }).then((*transition).endTrial)
		},
		"accepted": func(l *lives) { l.is(1).then(func(t *transition) { t.inStep("verify"); t.forgetKills() }) },
		"another": func(l *lives) {
			l.is(1).isKilled("verify")
			l.is(2).isKilled("verify")
		},
		"another accepted": func(l *lives) {
			l.is(1).isKilled("verify")
			l.is(2).then((*transition).forgetKills)
		},
		"the fallback mounted": func(l *lives) {
			l.is(1).isKilled("verify")
			l.is(2).then((*transition).becomeMounted)
		},
		"excused": func(l *lives) {
			l.is(1).then((*transition).excuse).isKilled("verify")
		},
		"the fallback": func(l *lives) {
			l.is(1).candidate.Fallback = true
			l.isKilled("verify")
		},
		"survived a start": func(l *lives) {
			l.is(1)
			l.accepted = linker.Accepted{Generation: l.candidate.Generation, Survived: true}
			l.isKilled("verify")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lives{}
			then(l)
			l.is(1).want(t, 0)
		})
	}
}

// TestTrial_of_another_step: a candidate that has killed confit once it was published
// passes its validator again and again. Each kill counts all the same.
func TestTrial_of_another_step(t *testing.T) {
	l := &lives{}
	for n := range 3 {
		l.is(1).want(t, n)
		l.then(func(t *transition) { t.inStep("validate"); t.endStep() })
		l.isKilled(linker.StepProbation)
	}
	l.is(1).then(func(t *transition) { t.inStep(linker.StepProbation); t.endStep() })
	l.is(1).want(t, 0) // it has gone well just where it killed
}

// TestTrial_of_another_candidate: a candidate that goes well or badly says nothing of
// one that has killed confit and isn't mounted now.
func TestTrial_of_another_candidate(t *testing.T) {
	l := &lives{}
	l.is(1).isKilled("verify")
	l.is(2).then(func(t *transition) { t.inStep("verify"); t.endTrial() })
	l.is(1).want(t, 1)
}

// TestTrial_unrun: that the renderer has killed confit stays known while it isn't run.
func TestTrial_unrun(t *testing.T) {
	l := &lives{}
	l.is(1).isKilled(linker.StepRender)
	l.is(2).candidate.Unrun = true
	l.then(func(t *transition) { t.inStep(linker.StepProbation); t.forgetKills() })
	l.is(1)
	if got := l.known().Spared; got != (linker.Hash{1}) {
		t.Errorf("spares %v", got)
	}
}
