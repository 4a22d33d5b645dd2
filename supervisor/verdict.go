package supervisor

import (
	"confit/linker"
	"confit/supervisor/outcomes"
)

// judge passes a verdict, or holds that on the app's death.
func (t *transition) judge(v verdict) {
	t.passVerdict() // the one before
	t.held, t.held.by = v, t.now.Add(holdTime)
	if !t.byDeath {
		t.passVerdict()
	}
}

func (t *transition) passVerdict() {
	v := t.held
	if !v.stands() {
		return
	}
	t.held = verdict{}
	if v.outcome != nil {
		t.decideAs(v.outcome)
	}
	if v.rejection != nil {
		t.noteRejection(v.rejection)
	}
	if v.line != nil {
		t.do(*v.line)
	}
	if t.phase == running {
		t.tidy()
	}
}

// dropVerdict forgets a verdict, as the app was stopped. The question of a gate is answered by
// that, which is told at once.
func (t *transition) dropVerdict() {
	if t.held.before != nil {
		t.ladder.Ladder = *t.held.before
	}
	t.held = verdict{}
	t.answer(outcomes.Stopped)
	t.killReportIf(t.outcomes.TellList(t.now))
}

// decide notes how a change ended: for the gate that was asked about it, or to be told once.
func (t *transition) decide(outcome string, of linker.Hash, step, reason string) {
	t.passVerdict() // that was first
	t.decideAs(t.outcome(outcome, hexOf(of), step, reason))
}

// tidy does what is left to do after a transaction: it notes what is accepted, also if a note was
// refused a moment ago, and removes what nobody can go back to. The linker spares what is noted: it
// may refuse this note, too.
func (t *transition) tidy() {
	t.note.by = noDeadline
	t.storeNote()
	if t.untidy && !t.held.stands() {
		t.untidy = false
		t.collect()
	}
}

// discard removes a candidate that leads to nothing.
func (t *transition) discard() {
	if n := t.candidate.Number; n != 0 && n != t.accepted().Number {
		t.collect()
	}
}

// collect removes the generations that nobody can go back to.
func (t *transition) collect() { t.assign(collect{inUse: t.ladder.Numbers()}) }
