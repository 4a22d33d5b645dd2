package supervisor

import (
	"time"

	"confit/linker"
	"confit/status"
)

// verdict is what it means that a generation is rejected: for the log, the status
// and the report.
type verdict struct {
	line      say
	rejection *status.Rejection // nil: the status is about something else
	report    *linker.Report    // nil: there is no verdict
	by        time.Time         // when one that is held is passed
}

func (v verdict) stands() bool { return v.report != nil }

// holdTime is how long a verdict on the app's death is held. A preStop hook ends the
// app (nginx -s quit), and TERM comes a moment later: then nobody is to blame.
// The roll back itself doesn't wait.
const holdTime = time.Second

// judge passes a verdict, or holds that on the app's death.
func (t *transition) judge(v verdict) {
	t.passVerdict() // the one before
	t.held, t.held.by = v, t.now.Add(holdTime)
	if !t.died {
		t.passVerdict()
	}
}

func (t *transition) passVerdict() {
	v := t.held
	if !v.stands() {
		return
	}
	t.held = verdict{}
	t.decideAs(v.report)
	if v.rejection != nil {
		t.recordRejection(v.rejection)
	}
	t.do(v.line)
	if t.phase == running {
		t.keepHouse()
	}
}

// verdictDue passes a verdict that was held for long enough.
func (t *transition) verdictDue() {
	if t.over(t.held.by) {
		t.passVerdict()
	}
}

// dropVerdict forgets a verdict: the app was stopped.
func (t *transition) dropVerdict() { t.held = verdict{} }
