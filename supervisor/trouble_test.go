package supervisor

import (
	"errors"
	"testing"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/supervisor/app"
	"confit/supervisor/outcomes"
)

// TestCrash_tells: the linker panics while a note is on its way that nobody will answer for any more. What a gate
// decided is reported all the same: other replicas wait for that.
func TestCrash_tells(t *testing.T) {
	i := idles(t)
	i.config.Gate, i.config.Report = []string{"may-i"}, []string{"tell"}
	i.changes(config.Action{Kind: config.None})
	i.gives(noted{note: i.state.note.given}, hookEnded{Status: process.Status(0)}, published{})
	i.isIn(running)
	if i.state.note.given == i.state.note.held || len(i.state.outcomes.List) == 0 {
		t.Fatal("no outcome is on its way to the disk")
	}
	if i.state.outcomes.Reporting != nil {
		t.Fatal("an outcome is told before the note has it")
	}
	i.gives(crashed{errors.New("index out of range")})
	if told := i.state.outcomes.Reporting; told == nil || told.Kind != outcomes.Accepted {
		t.Errorf("after the panic %v is told, want that the change was accepted", told)
	}
	i.gives(reportEnded{status: process.Status(0)})
	if left := i.state.outcomes.List; len(left) > 0 {
		t.Errorf("%v is to be told again", left)
	}
}

// TestCrash_without_resort: the linker panics while the app is asked to stop, as it must not stay on what was
// rejected. Nobody can stage the fallback any more, so confit ends, and says so by its code.
func TestCrash_without_resort(t *testing.T) {
	i := begins(t, linker.Rung{})
	i.config.Verify = []string{"verify"}
	i.gives(staged{candidate: linker.Candidate{Generation: linker.Generation{Number: 1, Hash: linker.Hash{1}}}}, published{}, started{20})
	i.isIn(proving)
	for !i.state.expired {
		i.isIn(proving)
		i.waits()
	}
	i.gives(hookEnded{Status: process.Status(9)})
	i.isIn(phase(app.Restarting))
	i.gives(crashed{errors.New("index out of range")}, exited{}, cleared{})
	i.isIn(done)
	if got := i.state.exit.Code; got != process.ExitSystem {
		t.Errorf("confit ends with %d, want %d", got, process.ExitSystem)
	}
}
