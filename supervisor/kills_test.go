package supervisor

import (
	"testing"

	"confit/linker"
)

// TestKills_without_resort: what was accepted by a reload, with nothing before it, is started on however often confit
// was killed with it. There is nothing to go back to.
func TestKills_without_resort(t *testing.T) {
	accepted := made{number: 1, holds: letterA}.generation()
	i := begins(t, linker.Rung{Generation: accepted})
	i.state.trials.Former = linker.Trial{Hash: accepted.Inputs, Step: linker.StepPublish, Kills: maxKills}
	i.gives(staged{candidate: linker.Candidate{Generation: accepted}})
	i.isIn(publishing)
	i.gives(published{}, started{20})
	i.isIn(running)
	if i.state.accepted().Generation != accepted || i.state.rejection.stands {
		t.Errorf("%v is accepted, want what was accepted before, and no rejection", i.state.standing())
	}
}
