package supervisor

import (
	"testing"
	"time"

	"confit/linker"
	"confit/process"
	"confit/supervisor/app"
	"confit/supervisor/outcomes"
)

// TestHook_given_up: the end of a hook that was killed and given up decides nothing, whatever confit waits for by
// then.
func TestHook_given_up(t *testing.T) {
	for p := phase(app.Down); p < done; p++ {
		i := idles(t)
		if i.state.phase = p; p < running {
			i.state.phase, i.state.app.Phase = serving, app.Phase(p)
		}
		i.state.deadline, i.state.app.Deadline = i.now.Add(time.Minute), i.now.Add(time.Minute)
		told := linker.Outcome{Hash: "a", Kind: outcomes.Rejected} // by a hook that runs: else the gate's comes next
		i.config.Report, i.state.note.by = []string{"tell"}, i.now.Add(time.Minute)
		i.state.outcomes = outcomes.Outcomes{List: []linker.Outcome{told}, Hook: outcomes.Hook{Reporting: &told, By: i.now.Add(time.Minute)}}
		before := i.state.shown()
		after, actions := step(i.config, i.state, i.now, hookEnded{Status: process.Status(9)})
		if after.shown() != before || !after.due().Equal(i.state.due()) {
			t.Errorf("%v becomes %v, for %v", before, after.shown(), after.due().Sub(i.now))
		}
		for _, a := range actions {
			if _, isLook := unwrapped(a).(app.EndLeftovers); !isLook {
				t.Errorf("in %v the end of a hook that was given up leads to %T", p, a)
			}
		}
	}
}
