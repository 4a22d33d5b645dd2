package supervisor

import (
	"log/slog"
	"slices"
	"time"

	"confit/linker"
	"confit/status"
)

// Other replicas wait for what becomes of a change that a gate was asked about, so nothing of it is skipped. It stands in a list, in the
// order of decisions, which the note holds. A question stands there before the gate is asked; its outcome takes its place in the same write
// as what that decides. The first outcome is told until the report hook takes it, and then goes. Of everything else the newest waits in
// memory, and is told once.

// reports reports whether anybody is told.
func (t *transition) reports() bool { return len(t.config.Report) > 0 }

// takeUp goes on with the list of a former confit. A change that was accepted is decided, even if that was not written down.
func (t *transition) takeUp(former *linker.Note) {
	if !t.reports() {
		t.accepted().Told = linker.Told{}
		return
	}
	if t.outcomes.list = former.Outcomes; t.hasAccepted() && t.outcomes.question() == t.accepted().Shared.Hex() {
		t.answer(outcomeAccepted)
		t.watchAccepted()
	}
}

// noteQuestion makes sure that the question is noted before the gate is asked, and that the hook has taken what was decided before. One that
// is open still, as confit was killed, goes on.
func (t *transition) noteQuestion() (isNoted bool) {
	hash := t.candidate.Shared.Hex()
	switch {
	case !t.reports():
		return true
	case t.outcomes.holdsUp() != nil:
		return false
	case t.outcomes.question() != hash:
		t.outcomes.drop(isQuestion)
		t.outcomes.list, t.note.by = append(t.outcomes.list, linker.Outcome{Hash: hash}), noDeadline
	}
	return slices.Contains(t.note.held.Outcomes, linker.Outcome{Hash: hash})
}

// answer gives the open question its outcome, if there is one.
func (t *transition) answer(outcome string) {
	if hash := t.outcomes.question(); hash != "" {
		t.decideAs(report{Outcome: t.outcome(outcome, hash, "", "")})
	}
}

// watchAccepted has late outcomes told of what is accepted, as a gate was asked about that. The app may die of an edit when others have long
// taken it up: they go on only when they know that it went well here.
func (t *transition) watchAccepted() {
	t.accepted().Told = linker.Told{Asked: true}
	t.ripen()
}

// decideAs has an outcome told. That the app was started again on what it had died of proves too little.
func (t *transition) decideAs(r report) {
	told := t.accepted().Told
	switch o := &t.outcomes; {
	case r.late:
		if r.Kind == outcomeRelapsed { // then a good end is told once more
			t.accepted().Told.Relapsed, t.accepted().Told.Soaked = true, false
		}
		t.put(*r.Outcome)
	case r.Hash != "" && r.Hash == o.question():
		o.drop(isQuestion)
		t.put(*r.Outcome)
	case r.Kind == outcomeAccepted && r.Hash == hexOf(t.accepted().Shared) && told.Relapsed && !told.Soaked:
	case t.reports() && o.isNews(r.Outcome):
		o.drop(isGood)
		o.other = r.Outcome
	}
}

// put puts an outcome behind the others.
func (t *transition) put(r linker.Outcome) {
	o := &t.outcomes
	o.drop(isGood)
	if o.list = append(o.list, r); o.told == nil {
		o.by, o.wait = noDeadline, 0
	}
}

// toTell is what has to be told next, or nil. At its end confit tells only the list.
func (s *state) toTell() *linker.Outcome {
	if r := s.firstInList(); r != nil || s.isEnding() {
		return r
	}
	return s.outcomes.other
}

// firstInList is what the list has to tell now, or nil.
func (s *state) firstInList() *linker.Outcome {
	o := &s.outcomes
	if i := slices.IndexFunc(o.list, isDecided); i >= 0 && o.fails < maxFails && s.isTrue(&o.list[i]) {
		return &o.list[i]
	}
	return nil
}

// isTrue reports that an outcome can be told now. That all is well is told of what is in force.
func (s *state) isTrue(r *linker.Outcome) bool {
	return !isGood(*r) || !s.exposure.published() && r.Hash == hexOf(s.accepted().Shared)
}

// tellsFrom is when the report hook may run, and whether there is anything to tell. What a gate was asked about is noted first, but for a
// stop, which may leave no time for that, and for a disk that stays full.
func (s *state) tellsFrom() (from time.Time, may bool) {
	o, r := &s.outcomes, s.toTell()
	switch {
	case r == nil || o.told != nil || !s.leavesRoom():
	case r == o.other, slices.Contains(s.note.held.Outcomes, *r), s.app.phase == stopping, s.isEnding(), s.degraded != "":
		return o.by, true
	case !s.note.tellBy.IsZero():
		return later(o.by, s.note.tellBy), true
	}
	return noDeadline, false
}

// deliver starts the report hook.
func (t *transition) deliver() {
	o := &t.outcomes
	if o.told != nil && isGood(*o.told) && o.told != o.other && !o.stands(o.told) && !o.interrupted { // something else follows
		t.interruptReport()
	}
	if from, may := t.tellsFrom(); may && t.over(from) {
		o.told, o.overdue, o.interrupted = t.toTell(), false, false
		o.by = t.now.Add(t.config.HookTimeout)
		t.do(runReport{t.config.Report, t.inForce(), o.told, t.reportVariables(o.told)})
	}
}

func (t *transition) killReport() {
	t.outcomes.by = t.now.Add(tryAgain)
	t.do(killReport{})
}

// interruptReport ends a report that runs: it is started again later.
func (t *transition) interruptReport() {
	if t.outcomes.told != nil {
		t.outcomes.interrupted = true
		t.killReport()
	}
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
	if o.told, o.by = nil, noDeadline; told != nil && (err == nil || !o.interrupted) {
		repeated := err != nil && o.stands(told)
		if repeated {
			t.tellAgain()
		} else {
			o.last, o.wait, o.fails = told, 0, 0
			o.drop(func(r linker.Outcome) bool { return r == *told })
			t.accepted().Told.Soaked = t.accepted().Told.Soaked || err == nil && told.Kind == outcomeSoaked && told.Hash == hexOf(t.accepted().Shared)
		}
		if told == o.other {
			o.other = nil
		}
		t.noteReport(told, err, repeated)
	}
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

// noteReport says what became of a report. The same failure is logged once.
func (t *transition) noteReport(told *linker.Outcome, err error, repeated bool) {
	seen := &status.Report{At: t.stamp(), Hash: told.Hash, Outcome: told.Kind, Delivered: err == nil}
	keys := []any{"outcome", told.Kind, "step", told.Step, "hash", told.Hash[:min(len(told.Hash), shortHash)]}
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
		if repeated {
			keys = append(keys, "nextTry", t.outcomes.wait)
		}
		t.say(slog.LevelWarn, "outcome not reported", keys...)
	}
}

// stopReporting answers the question of a gate at a stop, and tells that at once.
func (t *transition) stopReporting() {
	t.answer(outcomeStopped)
	t.tellFirst()
}

// tellFirst has the report hook told what stands in the list, whatever it is told now.
func (t *transition) tellFirst() {
	if t.outcomes.told == nil {
		t.outcomes.by = noDeadline
	} else if !t.outcomes.stands(t.outcomes.told) {
		t.interruptReport()
	}
}

// beginToEnd sets for how long the end waits for the report hook, once: beside the drain of what the app left behind, and no longer. What the
// hook hasn't taken then stays in the note.
func (t *transition) beginToEnd() {
	o := &t.outcomes
	if !o.until.IsZero() {
		return
	}
	if o.until = t.now.Add(t.config.DrainTimeout); t.config.DrainTimeout > 0 {
		t.tellFirst()
	} else {
		o.fails = maxFails
		t.interruptReport()
	}
}

// owes reports that the end has something to tell, or may have in a moment.
func (t *transition) owes() bool {
	o, held := &t.outcomes, t.held.report
	mayFollow := held.Outcome != nil && (held.late || held.Hash != "" && held.Hash == o.question())
	return o.fails < maxFails && mayFollow || t.firstInList() != nil
}

// tell waits at the end for the report hook, and for a stop that says that a death was none. It reports whether there is anything to wait for.
func (t *transition) tell(how exit) bool {
	t.beginToEnd()
	by := noDeadline
	if t.owes() {
		by = t.outcomes.until
	}
	if t.held.before != nil {
		by = later(by, t.held.by)
	}
	if t.over(by) {
		return false
	}
	t.app.exit = how
	t.keeper().become(down)
	t.phase, t.deadline = telling, by
	return true
}
