package supervisor

// rule says what the change does in one of its phases when something happens. What
// is nil leaves the phase as it is: a hint waits for its end, an app that is gone
// until the change comes to it.
type rule struct {
	due        func(*transition)                // the deadline
	answered   func(*transition, event)         // by the linker
	hook       func(*transition) namedHook      // that runs in the phase
	hookOver   func(*transition, error, string) // how the hook ended, and the last it printed
	hinted     func(*transition)                // a volume may have changed
	opened     func(*transition)                // somebody has opened what changed
	withoutApp func(*transition)                // the app is gone, and confit stays
	traits     traits
}

// traits are what else is to be known of a phase.
type traits int

const (
	fleeting       traits = 1 << iota // it passes by itself within moments
	takesLong                         // it may last longer than a rescan without a look at the volumes
	aboutCandidate                    // its hook decides about the candidate; the others are about what is in force
	bearsNoReport                     // what a report hook opens would count as opened by the app
)

// rule is the row of a phase. A switch and not a variable, as its functions come back
// to it.
func (p phase) rule() rule {
	switch p {
	case running:
		return rule{due: (*transition).rescan, hinted: (*transition).settle, withoutApp: (*transition).recoverFromExit}
	case settling:
		return rule{due: (*transition).look, hinted: (*transition).settleOn, withoutApp: (*transition).settleWithoutApp}
	case staging:
		return rule{due: (*transition).remind, answered: (*transition).stageEnded, traits: fleeting}
	case arming:
		return rule{due: (*transition).remind, answered: (*transition).armEnded, traits: fleeting}
	case rendering:
		return rule{due: (*transition).expire, hook: (*transition).renderHook, hookOver: (*transition).renderEnded, traits: aboutCandidate}
	case completing:
		return rule{due: (*transition).remind, answered: (*transition).completeEnded, traits: fleeting}
	case validating:
		return rule{due: (*transition).expire, hook: (*transition).validateHook, hookOver: (*transition).validateEnded, traits: aboutCandidate}
	case checking:
		return rule{due: (*transition).remind, answered: (*transition).checkEnded, traits: fleeting}
	case splaying:
		return rule{due: (*transition).passGate, withoutApp: (*transition).splayNoMore, traits: takesLong}
	case gating:
		return rule{due: (*transition).gateLate, hook: (*transition).gateHook, hookOver: (*transition).gateEnded, hinted: (*transition).hintedMeanwhile,
			withoutApp: (*transition).leaveUndecided, traits: aboutCandidate}
	case publishing:
		return rule{due: (*transition).remind, answered: (*transition).publishEnded, traits: fleeting}
	case withdrawing:
		return rule{due: (*transition).withdrawLate, answered: (*transition).withdrawEnded, withoutApp: (*transition).withdrawNow}
	case touching:
		return rule{due: (*transition).remind, answered: (*transition).touchEnded, traits: bearsNoReport}
	case reading:
		return rule{due: (*transition).readLate, opened: (*transition).prove, withoutApp: (*transition).recoverFromExit, traits: takesLong | bearsNoReport}
	case reloading:
		return rule{due: (*transition).expire, hook: (*transition).reloadHook, hookOver: (*transition).reloadEnded, withoutApp: (*transition).recoverFromExit}
	case serving, broken:
		return rule{withoutApp: (*transition).recoverFromExit}
	case proving:
		return rule{due: (*transition).goOn, hook: (*transition).verifyHook, hookOver: (*transition).verifyEnded, withoutApp: (*transition).recoverFromExit, traits: takesLong}
	}
	return rule{}
}

func (p phase) has(t traits) bool { return p.rule().traits&t != 0 }
