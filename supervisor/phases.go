package supervisor

import "confit/supervisor/hooks"

// row is what a phase of the change is: a step of a candidate, if it begins or its hook can pass, and
// what happens in it. What is nil leaves the phase as it is: a hint waits for its end, an app that is
// gone until the change comes to it.
type row struct {
	needed func(on) bool // the step, by the candidate; nil: always
	begin  func(on)      // the step; nil: its hook is started

	hook       func(on) hooks.Hook
	passed     func(on)                // the hook has succeeded: else the candidate is rejected
	hookOver   func(on, error, string) // how the hook ended, and the last it printed, where that isn't all
	answered   func(on, event)         // by the linker
	due        func(on)                // the deadline, where nobody waits for a hook or the linker
	hinted     func(on)                // a volume may have changed
	withoutApp func(on)                // the app is gone, and confit stays
}

// on is what a row works on.
type on = *transition

// rows has the phases of the change, and the steps of a candidate in their order.
var rows [done + 1]row

// A function of a row may lead to another row, so the table can't be made at once.
func init() {
	rows = [...]row{
		running:  {due: on.rescan, hinted: on.settle, withoutApp: on.recoverFromExit},
		settling: {due: on.look, hinted: on.settle, withoutApp: on.recoverFromExit},

		staging:    {answered: on.stageEnded},
		rendering:  {needed: on.mustRender, hook: on.renderHook, passed: on.rendered, answered: on.completeEnded},
		validating: {needed: on.mustValidate, hook: on.validateHook, passed: on.passes},
		waiting: {needed: on.mayWork, begin: on.lookFirst, due: on.waitLate, hinted: on.lookAtCandidate,
			withoutApp: on.goOn},
		splaying: {needed: on.maySplay, begin: on.splay, due: on.goOn, withoutApp: on.goOn},
		gating: {needed: on.isGated, begin: on.beginGate, hook: on.gateHook, hookOver: on.gateEnded,
			due: on.gateLate, hinted: on.lookMeanwhile, withoutApp: on.leaveUndecided},
		publishing: {begin: on.publish, answered: on.publishEnded},
		checking:   {needed: on.mustCheck, hook: on.validateHook, passed: on.checked, answered: on.publishEnded},
		serving:    {begin: on.makeRead, withoutApp: on.recoverFromExit},

		withdrawing: {answered: on.withdrawEnded, due: on.withdraw, withoutApp: on.withdrawNow},
		touching:    {answered: on.touchEnded},
		reading:     {due: on.readLate, withoutApp: on.recoverFromExit},
		reloading:   {hook: on.reloadHook, hookOver: on.reloadEnded, withoutApp: on.recoverFromExit},
		beginning:   {due: on.glance, hinted: on.glanceSoon, withoutApp: on.recoverFromExit},
		comparing:   {due: on.judgeEnd},
		proving: {hook: on.verifyHook, hookOver: on.verifyEnded, due: on.nextProof,
			withoutApp: on.recoverFromExit},
		telling: {due: on.endTelling},
		done:    {},
	}
}

// row is that of the phase.
func (t *transition) row() *row { return &rows[t.phase] }

// advance goes on with a candidate whose step is over, to the next one that it needs.
func (t *transition) advance() {
	for t.passed == t.phase {
		t.passed = 0
		p := t.phase + 1
		for !t.isNeeded(p) {
			p++
		}
		r := &rows[p]
		t.enterUntil(p, noDeadline)
		if r.begin != nil {
			r.begin(t)
		} else {
			t.runIn(p, r.hook(t))
		}
	}
}

// isNeeded reports that a phase is a step which the candidate needs.
func (t *transition) isNeeded(p phase) bool {
	r := &rows[p]
	return (r.begin != nil || r.passed != nil) && (r.needed == nil || r.needed(t))
}

// ownHook is the hook of the phase. One that was killed and ends later has none.
func (t *transition) ownHook() (h hooks.Hook) {
	if own := t.row().hook; own != nil {
		h = own(t)
	}
	return h
}
