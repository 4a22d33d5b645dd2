package supervisor

import (
	"fmt"
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

// A hint makes confit look: at once, after some quiet, or when the phase is over.
func (hinted) occur(t *transition) {
	if look := t.phase.rule().hinted; look != nil {
		look(t)
	} else {
		t.pending = true
	}
}

// A hook that could not be started counts as one that failed. But a reload hook that
// never ran has not reloaded the app: nothing has to be undone there, and another try
// costs no service.
func (e hookStartFailed) occur(t *transition) {
	if t.phase == reloading && t.exposure == read {
		t.exposure = visible
	}
	t.hookOver(fmt.Errorf("%s: %w", t.ownHook().name, e.err), "")
}

// What the linker answers is taken by the phase that waits for it.
func (e staged) occur(t *transition) { t.linkerAnswered(e) }

func (e unchanged) occur(t *transition)  { t.linkerAnswered(e) }
func (e armed) occur(t *transition)      { t.linkerAnswered(e) }
func (e checked) occur(t *transition)    { t.linkerAnswered(e) }
func (e invalid) occur(t *transition)    { t.linkerAnswered(e) }
func (e failed) occur(t *transition)     { t.linkerAnswered(e) }
func (e published) occur(t *transition)  { t.linkerAnswered(e) }
func (e barred) occur(t *transition)     { t.linkerAnswered(e) }
func (e superseded) occur(t *transition) { t.linkerAnswered(e) }
func (e withdrawn) occur(t *transition)  { t.linkerAnswered(e) }
func (e touched) occur(t *transition)    { t.linkerAnswered(e) }
func (noted) occur(*transition)          {} // the status is a view

func (hookBegun) occur(t *transition) { t.hook = true }

// ownHook is the hook of this phase.
func (t *transition) ownHook() namedHook {
	if hook := t.phase.rule().hook; hook != nil {
		return hook(t)
	}
	return namedHook{} // one that was killed ends later
}

// Somebody has opened what changed. While the app is expected to, no hook runs that
// could have.
func (opened) occur(t *transition) {
	t.recordRead(true)
	if read := t.phase.rule().opened; read != nil {
		read(t)
	}
}
