package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
)

// begin returns the first state and its actions. The first configuration is
// staged like any other, except that no app runs yet. accepted is what a former
// confit accepted on the same state directory, if anything. fallback says whether
// there is one. former is the record of the gate that it asked last.
func begin(c *config.Config, accepted linker.Accepted, fallback bool, former *linker.Report, now time.Time) (state, []action) {
	t := transition{outbox: &outbox{}, config: c, now: now, state: state{
		accepted: accepted, links: c.LinksRead, fallback: fallback && accepted.Number == 0, mendBy: now.Add(c.Rescan),
	}}
	t.recordAccepted()
	t.takeUp(former)
	t.look()
	t.doBeside()
	return t.state, t.actions
}

// step decides what an event means: it returns the next state and what is to be
// done. It is pure, and total: a pair of phase and event that has no rule leaves
// the phase as it is.
func step(c *config.Config, s state, now time.Time, e event) (state, []action) {
	t := transition{state: s, outbox: &outbox{}, config: c, now: now}
	if s.phase == done {
		return s, nil
	}
	e.occur(&t)
	t.doBeside()
	return t.state, t.actions
}

// A timer that comes late, or twice, does no harm: the deadline is compared with now.
func (elapsed) occur(t *transition) {
	t.verdictDue()
	if due := t.phase.rule().due; due != nil && !t.deadline.IsZero() && t.over(t.deadline) {
		due(t)
	}
	t.appLate()
	t.reportLate()
}

// linkerAnswered takes the linker's answer to a job. When nobody waits for it any
// more, as after a stop, it changes nothing.
func (t *transition) linkerAnswered(e event) {
	t.busy, t.stalled = false, time.Time{}
	if answered := t.phase.rule().answered; answered != nil {
		answered(t, e)
	}
}

func (e hookEnded) occur(t *transition) {
	t.hook = false
	t.hookOver(t.ownHook().failure(e.status, t.expired), e.tail)
}

// hookOver takes the end of a hook, or of the attempt to start one.
func (t *transition) hookOver(err error, tail string) {
	t.disarm(err)
	if over := t.phase.rule().hookOver; over != nil {
		over(t, err, tail)
	} else {
		t.keeper().lookForLeftovers()
	}
}
