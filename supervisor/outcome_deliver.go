package supervisor

import (
	"log/slog"
	"time"

	"confit/linker"
	"confit/process"
	"confit/status"
	"confit/supervisor/hooks"
)

// doBeside does what is due beside the phase.
func (t *transition) doBeside() {
	t.growUp()
	t.askGate()
	t.keepNote()
	t.deliver()
	t.peekMeanwhile()
}

func (t *transition) onReportEnded(e reportEnded) {
	t.reportEnded(hooks.Hook{Name: "report", Command: t.config.Report, Timeout: t.config.HookTimeout}.Failure(e.status, t.outcomes.late))
	t.keeper().lookForLeftovers()
}

// deadlineBeside is when something is due beside the phase; zero: never. What has
// to wait for an event has none: its timer would go off again and again.
func (s *state) deadlineBeside() (by time.Time) {
	if s.outcomes.told != nil || s.mayDeliver() {
		by = s.outcomes.by
	}
	if s.mayNote() {
		by = earliest(by, s.note.by)
	}
	if s.held.stands() {
		by = earliest(by, s.held.by)
	}
	by = earliest(by, s.oldBy)
	if !s.peeking {
		by = earliest(by, s.peekBy)
	}
	return by
}

// Only now the log says that a generation was accepted: a container that is killed right
// after the line goes back to it. Without a record that is noted no gate is asked.
func (t *transition) onNoted(e noted) {
	switch {
	case e.err == nil:
		t.note.held, t.note.trouble = e.note, ""
		t.sayAccepted()
		if t.phase == running {
			t.keepHouse()
		}
		return
	case e.note != t.note.given: // a newer one is on its way
		return
	}
	t.note.given, t.note.by = t.note.held, t.now.Add(t.config.Rescan)
	if t.phase == gating && !t.gate.asked && t.outcomes.isOpen() {
		t.outcomes.gated, t.looked = nil, ""
		t.reportSystemError(e.err)
		t.dropCandidate(exit{process.ExitSystem, e.err})
		return
	}
	if reason := e.err.Error(); reason != t.note.trouble && e.note.Accepted != t.note.held.Accepted {
		t.note.trouble = reason
		t.say(slog.LevelWarn, "accepted generation not stored: a container that restarts can't fall back on it",
			"generation", e.note.Accepted.Number, "error", reason, "nextTry", t.config.Rescan)
	}
}

// mayDeliver reports that there is something to tell, and that the report hook may
// run. What a gate decided is noted first, but for a stop, which may leave no time
// for that.
func (s *state) mayDeliver() bool {
	o := &s.outcomes
	return o.next() != nil && o.told == nil && s.leavesRoom() && (s.note.given.Record == s.note.held.Record || s.app.phase == stopping)
}

// deliver starts the report hook.
func (t *transition) deliver() {
	o := &t.outcomes
	if !t.mayDeliver() || !t.over(o.by) {
		return
	}
	next := o.next()
	o.told, o.late, o.interrupted = next, false, false
	o.by = t.now.Add(t.config.HookTimeout)
	t.do(runReport{t.config.Report, t.inForce(), next, t.reportVariables(next)})
}

// reportLate is the deadline of the report hook.
func (t *transition) reportLate() {
	if t.outcomes.told != nil && t.over(t.outcomes.by) {
		t.outcomes.late = true
		t.killReport()
	}
}

// reportEnded is the end of the report hook, or of the attempt to start it.
func (t *transition) reportEnded(err error) {
	o := &t.outcomes
	told := o.told
	o.told, o.by = nil, noDeadline
	switch {
	case told == nil, o.interrupted && err != nil:
		return
	case told == o.gated && err != nil:
		o.wait = min(max(2*o.wait, t.config.Retry), maxRetry)
		o.by = t.now.Add(o.wait)
	default:
		t.forgetOutcome(told)
	}
	t.noteReport(told, err)
}

// forgetOutcome drops what was told.
func (t *transition) forgetOutcome(told *linker.Record) {
	o := &t.outcomes
	o.last, o.wait = told, 0
	if told == o.gated {
		o.gated = nil
	}
	if told == o.other {
		o.other = nil
	}
}

// noteReport says what became of a report. The same failure is logged once.
func (t *transition) noteReport(told *linker.Record, err error) {
	seen := &status.Report{At: t.stamp(), Hash: told.Hash, Outcome: told.Outcome, Delivered: err == nil}
	keys := []any{"outcome", told.Outcome, "step", told.Step, "hash", told.Hash[:min(len(told.Hash), shortHash)]}
	t.lastReport = seen
	if err == nil {
		t.outcomes.trouble = ""
		t.say(slog.LevelInfo, "outcome reported", keys...)
		return
	}
	seen.Error = err.Error()
	if seen.Error != t.outcomes.trouble {
		t.outcomes.trouble = seen.Error
		keys = append(keys, "error", seen.Error)
		if t.outcomes.gated == told {
			keys = append(keys, "nextTry", t.outcomes.wait)
		}
		t.say(slog.LevelWarn, "outcome not reported", keys...)
	}
}
