package supervisor

// rule says what the change does in one of its phases when something happens. What is nil leaves
// the phase as it is: a hint waits for its end, an app that is gone until the change comes to it.
type rule struct {
	due        func(*transition)                // the deadline, where nobody waits for a hook or the linker
	answered   func(*transition, event)         // by the linker
	hookOver   func(*transition, error, string) // how the hook of the phase ended, and the last it printed
	hinted     func(*transition)                // a volume may have changed
	withoutApp func(*transition)                // the app is gone, and confit stays
}

// rule is the row of a phase. A switch and not a variable, as its functions come back to it.
func (p phase) rule() rule {
	switch p {
	case running:
		return rule{due: (*transition).rescan, hinted: (*transition).settle, withoutApp: (*transition).recoverFromExit}
	case settling:
		return rule{due: (*transition).look, hinted: (*transition).settle, withoutApp: (*transition).recoverFromExit}
	case staging:
		return rule{answered: (*transition).stageEnded}
	case rendering:
		return rule{answered: (*transition).completeEnded, hookOver: (*transition).renderEnded}
	case validating:
		return rule{hookOver: (*transition).validateEnded}
	case waiting:
		return rule{due: (*transition).waitLate, hinted: (*transition).lookAtCandidate,
			withoutApp: (*transition).passGate}
	case splaying:
		return rule{due: (*transition).passGate, withoutApp: (*transition).passGate}
	case gating:
		return rule{due: (*transition).gateLate, hookOver: (*transition).gateEnded, hinted: (*transition).lookMeanwhile,
			withoutApp: (*transition).leaveUndecided}
	case publishing:
		return rule{answered: (*transition).publishEnded}
	case withdrawing:
		return rule{due: (*transition).withdraw, answered: (*transition).withdrawEnded,
			withoutApp: (*transition).withdrawNow}
	case touching:
		return rule{answered: (*transition).touchEnded}
	case reading:
		return rule{due: (*transition).readLate, withoutApp: (*transition).recoverFromExit}
	case reloading:
		return rule{hookOver: (*transition).reloadEnded, withoutApp: (*transition).recoverFromExit}
	case serving:
		return rule{withoutApp: (*transition).recoverFromExit}
	case telling:
		return rule{due: (*transition).endTelling}
	case beginning:
		return rule{due: (*transition).glance, hinted: (*transition).glanceSoon,
			withoutApp: (*transition).recoverFromExit}
	case comparing:
		return rule{due: (*transition).judgeEnd}
	case proving:
		return rule{due: (*transition).nextProof, hookOver: (*transition).verifyEnded,
			withoutApp: (*transition).recoverFromExit}
	}
	return rule{}
}
