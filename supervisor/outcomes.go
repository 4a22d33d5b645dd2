package supervisor

import (
	"slices"
	"time"

	"confit/linker"
	"confit/status"
	"confit/supervisor/app"
	"confit/supervisor/outcomes"
)

// What becomes of a change is told by the report hook, in a slot beside all phases: nothing but the
// next gate and the end waits for it.

// reports reports whether anybody is told.
func (t *transition) reports() bool { return len(t.config.Report) > 0 }

// moment is what decides when something is told. The drain of a restart waits for every child: no
// hook begins then.
func (s *state) moment(now time.Time) *outcomes.Moment {
	ends, phase := s.isEnding(), s.app.Phase
	m := &outcomes.Moment{
		Now: now, Noted: s.note.held.Outcomes, NotNoted: s.note.tellBy, Ends: ends,
		Hurry: phase == app.Stopping || ends || s.degraded != "", MayRun: phase != app.Draining || ends,
	}
	switch s.phase {
	// what a hook opens would count as opened by the app, and a roll back that isn't done would be told
	case done, withdrawing, touching, reading:
		m.MayRun = false
	}
	if !s.exposure.published() {
		m.InForce = hexOf(s.accepted().Shared)
	}
	return m
}

// takeUp goes on with the list of a former confit. A change that was accepted is decided, even if
// that was not written down.
func (t *transition) takeUp(former *linker.Note) {
	if !t.reports() {
		t.accepted().Told = linker.Told{}
		return
	}
	t.outcomes.List = former.Outcomes
	if t.ladder.HasAccepted() && t.outcomes.Question() == t.accepted().Shared.Hex() {
		t.answer(outcomes.Accepted)
		t.watchAccepted()
	}
}

// noteQuestion makes sure that the question is noted before the gate is asked, and that the hook
// has taken what was decided before. One that is open still, as confit was killed, goes on.
func (t *transition) noteQuestion() (isNoted bool) {
	hash := t.candidate.Shared.Hex()
	switch {
	case !t.reports():
		return true
	case t.outcomes.Undelivered() != nil:
		return false
	case t.outcomes.Ask(hash):
		t.note.by = noDeadline
	}
	return slices.Contains(t.note.held.Outcomes, linker.Outcome{Hash: hash})
}

// answer gives the open question its outcome, if there is one.
func (t *transition) answer(outcome string) {
	if hash := t.outcomes.Question(); hash != "" {
		t.decideAs(t.outcome(outcome, hash, "", ""))
	}
}

// watchAccepted has late outcomes told of what is accepted, as a gate was asked about that. The app
// may die of an edit when others have long taken it up: they go on only when they know that it went
// well here.
func (t *transition) watchAccepted() {
	t.accepted().Told = linker.Told{Asked: true}
	t.onLadder().StartSoak()
}

// decideAs has an outcome told. That the app was started again on what it had died of proves too
// little.
func (t *transition) decideAs(r *linker.Outcome) {
	is := t.accepted()
	switch told := &is.Told; {
	case r.Kind == outcomes.Relapsed:
		told.Relapsed, told.Soaked = true, false // then a good end is told once more
		t.outcomes.Put(*r)
	case r.Hash != "" && r.Hash == t.outcomes.Question():
		t.outcomes.Answer(*r)
	case r.Kind == outcomes.Accepted && r.Hash == hexOf(is.Shared) && told.Relapsed && !told.Soaked:
	case t.reports():
		t.outcomes.Offer(r)
	}
}

// deliver starts the report hook.
func (t *transition) deliver() {
	if t.outcomes.IsOutdated() {
		t.interruptReport()
	}
	if r := t.outcomes.Deliver(t.moment(t.now), t.config.HookTimeout); r != nil {
		t.do(runReport{t.config.Report, t.inForce(), r, t.reportVariables(r)})
	}
}

// killReportIf ends the report hook.
func (t *transition) killReportIf(kill bool) {
	if kill {
		t.do(killReport{})
	}
}

// interruptReport ends a report that runs: it is started again later.
func (t *transition) interruptReport() { t.killReportIf(t.outcomes.Interrupt(t.now)) }

// beginToEnd sets for how long the end waits for the report hook: beside the drain of what the app
// left behind, and no longer.
func (t *transition) beginToEnd() { t.killReportIf(t.outcomes.End(t.now, t.config.DrainTimeout)) }

// reportEnded is the end of the report hook, or of the attempt to start it. The same failure is
// logged once.
func (t *transition) reportEnded(err error) {
	told, again := t.outcomes.Ended(t.moment(t.now), err != nil, t.config.Retry)
	if told == nil {
		return
	}
	if err == nil && told.Kind == outcomes.Soaked && told.Hash == hexOf(t.accepted().Shared) {
		t.accepted().Told.Soaked = true
	}
	seen := &status.Report{At: status.At(t.now), Hash: told.Hash, Outcome: told.Kind, Delivered: err == nil}
	keys := []any{"outcome", told.Kind, "step", told.Step, "hash", told.Hash[:min(len(told.Hash), shortHash)]}
	t.lastReport = seen
	if err == nil {
		t.complaints[reporting] = ""
		t.Info("outcome reported", keys...)
		return
	}
	seen.Error = err.Error()
	if t.complaints.isNew(reporting, seen.Error) {
		keys = append(keys, "error", seen.Error)
		if again != 0 {
			keys = append(keys, "nextTry", again)
		}
		t.Warn("outcome not reported", keys...)
	}
}

// tellsSoon reports that what is held may come into the list in a moment.
func (t *transition) tellsSoon() bool {
	v := t.held
	if v == nil || v.Outcome == nil {
		return false
	}
	hash := v.Outcome.Hash
	return v.Outcome.Kind == outcomes.Relapsed || hash != "" && hash == t.outcomes.Question()
}

// tell waits at the end for the report hook, and for a stop that says that a death was none. It
// reports whether there is anything to wait for.
func (t *transition) tell(how exit) bool {
	t.beginToEnd()
	by := t.outcomes.Owed(t.moment(t.now), t.tellsSoon())
	if t.before != nil {
		by = later(by, t.heldBy())
	}
	if t.over(by) {
		return false
	}
	t.exit = how
	t.onApp().Rest()
	t.enterUntil(telling, by)
	return true
}
