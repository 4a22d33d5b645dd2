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
	t.reportEnded(hooks.Hook{Name: "report", Command: t.config.Report, Timeout: t.config.HookTimeout}.Failure(e.status, t.outcomes.overdue))
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
	by = earliest(by, s.oldBy, s.outcomes.livedBy)
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
	given, held := s.note.given, s.note.held
	isNoted := given.Record == held.Record && given.Late == held.Late
	return s.toTell() != nil && s.outcomes.told == nil && s.leavesRoom() && (isNoted || s.app.phase == stopping || s.isEnding())
}

// toTell is what has to be told next, or nil. At its end confit tells only what it owes.
func (s *state) toTell() *linker.Record {
	o := &s.outcomes
	switch {
	case s.isEnding() && o.fails >= maxFails:
	case o.due() != nil:
		return o.due()
	case s.isEnding():
	default:
		if late := s.current(); late != nil && late.Outcome != "" && !s.exposure.published() { // it is in force
			return late
		}
		return o.other
	}
	return nil
}

// deliver starts the report hook.
func (t *transition) deliver() {
	o := &t.outcomes
	if o.told != nil && o.told.Outcome == outcomeSettled && o.due() != nil && !o.interrupted { // it holds up nothing
		t.interruptReport()
	}
	if !t.mayDeliver() || !t.over(o.by) {
		return
	}
	next := t.toTell()
	o.told, o.overdue, o.interrupted = next, false, false
	o.by = t.now.Add(t.config.HookTimeout)
	t.do(runReport{t.config.Report, t.inForce(), next, t.reportVariables(next)})
}

// reportLate is the deadline of the report hook.
func (t *transition) reportLate() {
	if t.outcomes.told != nil && t.over(t.outcomes.by) {
		t.outcomes.overdue = true
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
		t.endTelling()
		return
	case o.isRepeated(told) && err != nil:
		t.tellAgain()
	default:
		t.forgetOutcome(told)
	}
	t.noteReport(told, err)
	t.endTelling()
}

// tellAgain sets when the report hook runs again that has failed.
func (t *transition) tellAgain() {
	o := &t.outcomes
	o.wait = min(max(2*o.wait, t.config.Retry), maxRetry)
	if t.isEnding() {
		o.fails++
		o.wait = tryAgain
	}
	o.by = t.now.Add(o.wait)
}

// forgetOutcome drops what was told.
func (t *transition) forgetOutcome(told *linker.Record) {
	o := &t.outcomes
	o.last, o.wait, o.fails = told, 0, 0
	if told == o.gated {
		o.gated = nil
	}
	if told == o.late {
		t.lateTold()
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
		if t.outcomes.isRepeated(told) {
			keys = append(keys, "nextTry", t.outcomes.wait)
		}
		t.say(slog.LevelWarn, "outcome not reported", keys...)
	}
}
