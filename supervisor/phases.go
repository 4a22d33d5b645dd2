package supervisor

// rule says what the change does in one of its phases when something happens. What is nil leaves
// the phase as it is: a hint waits for its end, an app that is gone until the change comes to it.
type rule struct {
	due        func()              // the deadline, where nobody waits for a hook or the linker
	answered   func(event)         // by the linker
	hookOver   func(error, string) // how the hook of the phase ended, and the last it printed
	hinted     func()              // a volume may have changed
	withoutApp func()              // the app is gone, and confit stays
}

// rule is the row of the phase.
func (t *transition) rule() rule {
	switch t.phase {
	case running:
		return rule{due: t.rescan, hinted: t.settle, withoutApp: t.recoverFromExit}
	case settling:
		return rule{due: t.look, hinted: t.settle, withoutApp: t.recoverFromExit}
	case staging:
		return rule{answered: t.stageEnded}
	case rendering:
		return rule{answered: t.completeEnded, hookOver: t.renderEnded}
	case validating:
		return rule{hookOver: t.validateEnded}
	case waiting:
		return rule{due: t.waitLate, hinted: t.lookAtCandidate, withoutApp: t.passGate}
	case splaying:
		return rule{due: t.passGate, withoutApp: t.passGate}
	case gating:
		return rule{due: t.gateLate, hookOver: t.gateEnded, hinted: t.lookMeanwhile, withoutApp: t.leaveUndecided}
	case publishing:
		return rule{answered: t.publishEnded}
	case withdrawing:
		return rule{due: t.withdraw, answered: t.withdrawEnded, withoutApp: t.withdrawNow}
	case touching:
		return rule{answered: t.touchEnded}
	case reading:
		return rule{due: t.readLate, withoutApp: t.recoverFromExit}
	case reloading:
		return rule{hookOver: t.reloadEnded, withoutApp: t.recoverFromExit}
	case serving:
		return rule{withoutApp: t.recoverFromExit}
	case telling:
		return rule{due: t.endTelling}
	case beginning:
		return rule{due: t.glance, hinted: t.glanceSoon, withoutApp: t.recoverFromExit}
	case comparing:
		return rule{due: t.judgeEnd}
	case proving:
		return rule{due: t.nextProof, hookOver: t.verifyEnded, withoutApp: t.recoverFromExit}
	}
	return rule{}
}
