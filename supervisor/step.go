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
	t := transition{config: c, now: now, state: state{
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
	t := transition{state: s, config: c, now: now}
	if s.phase == done {
		return s, nil
	}
	switch e := e.(type) {
	case hinted:
		t.hinted()
	case elapsed:
		t.verdictDue()
		t.elapsed()
		t.reportLate()
	case staged, unchanged, armed, checked, invalid, published, barred, superseded, withdrawn, touched, failed, crashed:
		t.linkerAnswered(e)
	case stored:
		t.stored(e)
	case compared, peeked, reportStored, reportStartFailed, reportEnded, linksRead, mended:
		t.beside(e)
	case hookBegun:
		t.hook = true
	case hookStartFailed:
		t.hookStartFailed(e)
	case hookEnded:
		t.hook = false
		t.hookOver(t.ownHook().failure(e.status, t.expired), e.tail)
	case opened:
		t.opened()
	case probed, sent, unheard, denied, reached, delivered, inspected, started, startFailed:
		t.appAnswered(e)
	case exited:
		t.exited(e)
	case reaped:
		t.reaped()
	case cleared:
		t.cleared(e.left)
	case signalled:
		t.signalled(e.signal)
	case heard:
		t.heard(e.message)
	}
	t.doBeside()
	return t.state, t.actions
}

// elapsed compares the deadline with now: a timer that comes late, or twice,
// does no harm.
func (t *transition) elapsed() {
	if t.deadline.IsZero() || !t.over(t.deadline) {
		return
	}
	switch t.phase {
	case running:
		t.warnUnread()
		t.look()
	case settling:
		t.look()
	case staging, arming, completing, checking, publishing, touching:
		t.remind()
	case splaying:
		t.passGate()
	case gating:
		t.gateLate()
	case withdrawing:
		t.withdrawLate()
	case probing:
		t.lookForHandler()
	case delivering:
		t.lookWhetherTaken()
	case reading:
		t.readLate()
	case rendering, validating, reloading:
		t.expire()
	case proving:
		t.goOn()
	case restarting:
		t.restartLate()
	case stopping:
		t.askAgain()
	case draining:
		t.killLeftovers()
	case starting:
		t.start()
	}
}

// linkerAnswered takes the linker's answer to a job. When nobody waits for it any
// more, as after a stop, it changes nothing.
func (t *transition) linkerAnswered(e event) {
	t.busy, t.stalled = false, time.Time{}
	if e, ok := e.(crashed); ok {
		t.crash(e.err)
		return
	}
	switch t.phase {
	case staging:
		t.stageEnded(e)
	case arming:
		t.armEnded()
	case completing:
		t.completeEnded(e)
	case checking:
		t.checkEnded(e)
	case publishing:
		t.publishEnded(e)
	case withdrawing:
		t.withdrawEnded(e)
	case touching:
		t.touchEnded(e)
	}
}

// appAnswered takes what came of a signal to the app, of a look at it, or of its
// start.
func (t *transition) appAnswered(e event) {
	switch e := e.(type) {
	case probed:
		t.probed(e)
	case sent:
		t.sent()
	case unheard:
		t.unheard(e.waits)
	case denied:
		t.denied(e.err)
	case reached:
		t.app.beyond = ""
	case delivered:
		t.delivered(e.taken)
	case inspected:
		t.inspected(e)
	case started:
		t.appStarted(e.pid)
	case startFailed:
		t.startFailed(e)
	}
}

// hookOver takes the end of a hook, or of the attempt to start one.
func (t *transition) hookOver(err error, tail string) {
	t.disarm(err)
	switch t.phase {
	case rendering:
		t.renderEnded(err, tail)
	case validating:
		t.validateEnded(err, tail)
	case gating:
		t.gateEnded(err, tail)
	case reloading:
		t.reloadEnded(err, tail)
	case proving:
		t.verifyEnded(err, tail)
	default:
		t.lookForLeftovers()
	}
}
