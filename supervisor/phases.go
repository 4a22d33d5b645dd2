package supervisor

import "confit/supervisor/hooks"

// row is what a phase of the change is: a step of a candidate, if it is one, and what happens in it.
// What is nil leaves the phase as it is: a hint waits for its end, an app that is gone until the
// change comes to it.
type row struct {
	needed func() bool // the step, by the candidate; nil: always
	begin  func()      // the step; nil: the hook, if that can pass

	hook       hooks.Hook          // that runs in it
	passed     func()              // the hook has succeeded: else the candidate is rejected
	hookOver   func(error, string) // how the hook ended, and the last it printed, where that isn't all
	due        func()              // the deadline, where nobody waits for a hook or the linker
	answered   func(event)         // by the linker
	hinted     func()              // a volume may have changed
	withoutApp func()              // the app is gone, and confit stays
}

// row is the row of a phase.
func (t *transition) row(p phase) row {
	switch c := t.config; p {
	case running:
		return row{due: t.rescan, hinted: t.settle, withoutApp: t.recoverFromExit}
	case settling:
		return row{due: t.look, hinted: t.settle, withoutApp: t.recoverFromExit}
	case staging:
		return row{answered: t.stageEnded}
	case rendering:
		return row{needed: t.mustRender, hook: hooks.New("render", c.Render, c.HookTimeout),
			passed: t.rendered, answered: t.completeEnded}
	case validating:
		return row{needed: t.mustValidate, hook: hooks.Validate(c), passed: t.goOn}
	case waiting:
		return row{begin: t.lookFirst, needed: t.mayWork, due: t.waitLate, hinted: t.lookAtCandidate,
			withoutApp: t.goOn}
	case splaying:
		return row{begin: t.splay, needed: t.maySplay, due: t.goOn, withoutApp: t.goOn}
	case gating:
		return row{begin: t.beginGate, needed: t.isGated, hook: t.gateHook(),
			due: t.gateLate, hookOver: t.gateEnded, hinted: t.lookMeanwhile, withoutApp: t.leaveUndecided}
	case publishing:
		return row{begin: t.publish, answered: t.publishEnded}
	case checking:
		return row{needed: t.mustCheck, hook: hooks.Validate(c), passed: t.checked,
			answered: t.publishEnded}
	case serving:
		return row{begin: t.makeRead, withoutApp: t.recoverFromExit}
	case withdrawing:
		return row{due: t.withdraw, answered: t.withdrawEnded, withoutApp: t.withdrawNow}
	case touching:
		return row{answered: t.touchEnded}
	case reading:
		return row{due: t.readLate, withoutApp: t.recoverFromExit}
	case reloading:
		return row{hook: t.reloadHook(), hookOver: t.reloadEnded,
			withoutApp: t.recoverFromExit}
	case telling:
		return row{due: t.endTelling}
	case beginning:
		return row{due: t.glance, hinted: t.glanceSoon, withoutApp: t.recoverFromExit}
	case comparing:
		return row{due: t.judgeEnd}
	case proving:
		return row{hook: t.verifyHook(), due: t.nextProof,
			hookOver: t.verifyEnded, withoutApp: t.recoverFromExit}
	}
	return row{}
}

// advance goes on with a candidate whose step is over, to the next one that it needs.
func (t *transition) advance() {
	for t.passed == t.phase {
		t.passed = 0
		p := t.phase + 1
		for !t.isNeeded(p) {
			p++
		}
		r := t.row(p)
		t.enterUntil(p, noDeadline)
		if r.begin != nil {
			r.begin()
		} else {
			t.runIn(p, r.hook)
		}
	}
}

// isNeeded reports that a phase is a step which the candidate needs.
func (t *transition) isNeeded(p phase) bool {
	r := t.row(p)
	return (r.begin != nil || r.passed != nil) && (r.needed == nil || r.needed())
}
