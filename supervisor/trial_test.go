package supervisor

import (
	"testing"
	"time"

	"confit/config"
	"confit/linker"
)

// lives is a row of confits on one state directory, of which only the trial is left.
type lives struct {
	transition
	disk linker.Trial // what the file trial says
}

// is lets the next confit stage a candidate.
func (l *lives) is(of letter) *lives {
	l.transition = transition{config: &config.Config{}, state: state{known: takenUp(&linker.Former{Killed: l.disk}, time.Time{}), ladder: l.ladder}}
	l.candidate = linker.Candidate{Generation: made{number: 9, holds: of}.generation()}
	return l
}

// then does something, and takes up what is recorded.
func (l *lives) then(do func(t *transition)) *lives {
	do(&l.transition)
	l.recordTrial()
	for _, a := range l.actions {
		if a, ok := unwrapped(a).(record); ok {
			l.disk = a.trial
		}
	}
	l.actions = nil
	return l
}

// tries begins a step of the trial.
func (l *lives) tries(step string) *lives {
	return l.then(func(t *transition) { t.enterTrial(step) })
}

// isAccepted ends a transaction that went well.
func isAccepted(t *transition) {
	t.exposure = visible
	t.makeAccepted(false)
	t.renew(transaction{})
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
	for n, step := range []string{linker.StepHooks, linker.StepPublish, linker.StepHooks, linker.StepPublish} {
		l.is(letterA).want(t, n)
		l.tries(step)
	}
	l.is(letterA).want(t, 4)
	l.then((*transition).endTrial) // refused: it wasn't tried, so that stays known
	l.is(letterA).want(t, 4)
}

// TestTrial_ends: an end that confit has seen is no kill, nor is one of another
// candidate, nor what was accepted since.
func TestTrial_ends(t *testing.T) {
	for name, then := range map[string]func(l *lives){
		"rejected, or stopped": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish).then((*transition).endTrial)
		},
		"in another life": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish)
			l.is(letterA).tries(linker.StepPublish).then((*transition).endTrial)
		},
		"accepted": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish)
			l.is(letterA).tries(linker.StepPublish).then(isAccepted)
		},
		"another": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish)
			l.is(letterB).tries(linker.StepPublish)
		},
		"another accepted": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish)
			l.is(letterB).then(isAccepted)
		},
		"the fallback mounted": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish)
			l.is(letterB).then((*transition).becomeMounted)
		},
		"disarmed": func(l *lives) {
			l.is(letterA).then((*transition).disarm).tries(linker.StepPublish)
		},
		"disarmed in a step": func(l *lives) {
			l.is(letterA).tries(linker.StepPublish).then((*transition).disarm)
		},
		"paused": func(l *lives) {
			l.is(letterA).tries(linker.StepHooks).then((*transition).pauseTrial)
		},
		"the fallback": func(l *lives) {
			l.is(letterA).candidate.Fallback = true
			l.tries(linker.StepPublish)
		},
		"accepted before": func(l *lives) {
			l.is(letterA)
			l.ladder.Ladder = ladderOf(linker.Rung{Generation: l.candidate.Generation})
			l.tries(linker.StepPublish)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lives{}
			then(l)
			l.is(letterA).want(t, 0)
		})
	}
}

// TestTrial_of_another_step: a candidate that has killed confit once it was published
// passes its validator, and is refused by its gate, again and again. Each kill counts all the same.
func TestTrial_of_another_step(t *testing.T) {
	l := &lives{}
	for n := range 3 {
		l.is(letterA).want(t, n)
		l.tries(linker.StepHooks).then((*transition).endTrial)
		l.tries(linker.StepPublish)
	}
	l.is(letterA).tries(linker.StepPublish).then((*transition).endTrial)
	l.is(letterA).want(t, 0) // it has gone well just where it killed
}

// TestTrial_paused: a hook that has killed confit at a start passes beside an app that runs. It may
// be the gate that has killed, and that is still to come.
func TestTrial_paused(t *testing.T) {
	l := &lives{}
	l.is(letterA).tries(linker.StepHooks)
	l.is(letterA).tries(linker.StepHooks).then((*transition).pauseTrial)
	l.is(letterA).want(t, 1)
}

// TestTrial_of_another_candidate: a candidate that goes well or badly says nothing of
// one that has killed confit and isn't mounted now.
func TestTrial_of_another_candidate(t *testing.T) {
	l := &lives{}
	l.is(letterA).tries(linker.StepPublish)
	l.is(letterB).tries(linker.StepPublish).then((*transition).endTrial)
	l.is(letterA).want(t, 1)
}

// TestTrial_goes_on: the life of an app that was started on what is accepted now counts. Nothing is written for that.
func TestTrial_goes_on(t *testing.T) {
	l := &lives{}
	before := l.is(letterA).tries(linker.StepPublish).disk
	l.then(func(t *transition) {
		t.ladder.Ladder = ladderOf(linker.Rung{Generation: t.candidate.Generation, Started: true}, rungOf(1, letterB, byStart))
		t.config.Soak, t.app.PID = time.Minute, 20
		t.onLadder().StartedOn(t.candidate.Hash)
		t.renew(transaction{})
	})
	if l.disk != before {
		t.Errorf("recorded %+v, want %+v as before", l.disk, before)
	}
	if l.then(func(t *transition) { t.now = t.now.Add(time.Minute) }); l.disk != (linker.Trial{}) {
		t.Errorf("recorded %+v for what has soaked", l.disk)
	}
}

// TestTrial_unrun: that the renderer has killed confit stays known while it isn't run. It says nothing of the files that
// it had made before.
func TestTrial_unrun(t *testing.T) {
	l := &lives{}
	l.is(letterA).tries(linker.StepHooks)
	l.is(letterA).candidate.Unrun = true
	l.want(t, 0)
	l.tries(linker.StepPublish).then(isAccepted)
	l.is(letterA)
	l.stage()
	if got := l.actions[len(l.actions)-1].(stage).known.Except; got != letterA.inputs() {
		t.Errorf("spares %v", got)
	}
}
