package supervisor

import (
	"strings"

	"confit/process"
	"confit/supervisor/app"
	"confit/supervisor/goal"
	"confit/supervisor/verdict"
)

// A breakdown leaves the app's half alone: a plain init, which forwards signals, reaps and passes
// the exit code on. Nobody looks at a volume any more. An app that is down is started once more on
// the accepted generation.
func (e crashed) take(t *transition) {
	t.busy, t.stalled = false, noDeadline
	t.Error("configuration side broke down: going on as a plain init", "error", e.err.Error())
	t.degraded, _, _ = strings.Cut(e.err.Error(), "\n") // the trace is in the log
	t.endHook()
	t.note.given = t.note.held
	if t.phase == telling {
		return
	}
	t.serve()
	// also of an app that must not stay on what was rejected
	t.failed = &verdict.Verdict{End: exit{Code: process.ExitSystem, Reason: e.err}}
	switch t.app.Phase {
	case app.Probing:
		t.onApp().Rest()
	case app.Down:
		if t.goal(goal.Refused) == goal.Accepted {
			t.drain(app.StartAgain)
		} else {
			t.endWith(t.failed.End)
		}
	}
}

// reportSystemError logs what the system refused, once. The next rescan tries again.
func (t *transition) reportSystemError(err error) {
	if isNew := t.complaints.isNew(applying, err.Error()); isNew && !t.nothingToStartOn() {
		t.Error("cannot apply what is mounted", "error", err.Error(), "live", t.standing(),
			"nextTry", t.config.Rescan)
	}
}

// remind logs that the linker's answer is late.
func (t *transition) remind() {
	t.Warn("the volumes or the state directory don't answer", "phase", t.phase.String(),
		"waited", linkerPatience)
	if t.stalled.IsZero() {
		t.stalled = t.now.Add(-linkerPatience)
	}
	t.enter(t.phase, linkerPatience)
}
