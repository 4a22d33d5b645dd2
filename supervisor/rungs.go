package supervisor

import (
	"cmp"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
)

// What follows from the rung that the app is on, and from how long it has lived there.

// hasBelow reports that there is something to go down to. Below what the fallback was, and is mounted by now, there is no place for another.
func (s *state) hasBelow() bool {
	durable := slices.ContainsFunc(s.ladder.Rungs[:], func(r linker.Rung) bool { return r.Durable })
	return s.ladder.HasBelow() || s.fallback && !durable && !s.accepted().Fallback && s.ladder.On+1 < len(s.ladder.Rungs)
}

// ripen begins the time that the app has to live with what is in force.
func (t *transition) ripen() { t.ripens = t.now.Add(t.config.SoakFor()) }

// isStartedOnIt reports that the app was started on the bytes of the accepted generation.
func (t *transition) isStartedOnIt() bool { return t.startedOn == t.accepted().Hash && t.hasAccepted() }

// lifeCounts reports that a bad end of the app is a death.
func (t *transition) lifeCounts() bool {
	switch {
	case t.unproved != nil || t.degraded != "" || t.unacceptedInForce() || !t.isStartedOnIt():
		return false
	case t.isDown():
		return true
	}
	return t.mayGoDown() && !t.over(t.ripens)
}

// mayGoDown reports that deaths on the top count: they lead somewhere.
func (t *transition) mayGoDown() bool {
	return !t.accepted().Durable && t.hasBelow() && t.config.SoakFor() > 0
}

// soaks is when the accepted generation has soaked; zero: the life of the app says nothing of it, or nothing depends on that.
func (t *transition) soaks() time.Time {
	if t.isResting() || !t.maySoak() && !t.maySaySoaked() {
		return noDeadline
	}
	return t.ripens
}

// maySoak reports that the accepted generation has something to gain.
func (t *transition) maySoak() bool {
	r := t.accepted()
	return t.isDown() || t.config.SoakFor() > 0 && (!r.Soaked || t.isStartedOnIt() && !r.Durable)
}

// isYoung reports that the app has not lived with the accepted generation for --soak, since it was started or since this confit accepted that.
func (t *transition) isYoung() bool {
	return !t.accepted().Durable && !t.unacceptedInForce() && !t.over(t.ripens)
}

// lived is how long the app has lived since its start.
func (t *transition) lived() time.Duration { return t.now.Sub(t.app.Since).Truncate(time.Millisecond) }

// diedTooOften reports that confit has to go down. A former confit may have counted.
func (t *transition) diedTooOften() bool {
	allowed := maxDeaths
	if t.isDown() || t.remembers(t.accepted().Inputs) {
		allowed = 1
	}
	return t.accepted().Deaths >= allowed && (t.isDown() || t.mayGoDown())
}

// downReason is why the app isn't on the top. A former confit may have known.
func (s *state) downReason() string {
	return cmp.Or(s.downFor, "the app died of it in a former container")
}

// isMounted reports that the last look found the bytes of a rung.
func (s *state) isMounted(r linker.Rung) bool {
	return s.mounted != nil && (s.mounted.Hash == r.Hash.Hex() || s.mounted.Hash == r.Inputs.Hex())
}

// wasTried reports that the app has died of the candidate, and is on a lower rung.
func (s *state) wasTried() bool {
	return slices.ContainsFunc(s.ladder.Above(), func(r linker.Rung) bool { return r.Inputs == s.candidate.Inputs })
}

// remembers reports that the app has died of what comes from volumes so.
func (s *state) remembers(inputs linker.Hash) bool {
	return s.remembered.Inputs == inputs && inputs != linker.Hash{}
}

// triesAgain is when what is remembered may be tried again.
func (s *state) triesAgain() time.Time { return time.Unix(s.remembered.At+s.remembered.Wait, 0) }

// isRemembered reports that the app has died of the candidate, and that this isn't the time to try it again. What a start died of is tried by
// a start, and only where there is something else.
func (t *transition) isRemembered() bool {
	byStart := t.neverStarted() || t.reloadAction.Kind == config.Restart
	return t.remembers(t.candidate.Inputs) && t.hasAccepted() && !t.isAccepted() && (!byStart || !t.over(t.triesAgain()))
}

// maySaySoaked reports that it is to be told that the app has lived with an asked hash for --soak. What else is told of that goes first.
func (t *transition) maySaySoaked() bool {
	told := t.accepted().Told
	return told.Asked && !told.Soaked && !t.isDown() && t.outcomes.HoldsUp() == nil && !t.outcomes.SaysGood()
}

// isCostly reports that the app was rolled back from the candidate before. A renderer that fails
// now and then must not bring it back to the app again and again.
func (t *transition) isCostly() bool {
	return t.rejection.cost != linker.Hash{} && t.rejection.cost == t.candidate.Inputs
}

// age is a key that says how old what the app goes back to is. It may be months.
func (t *transition) age() []any {
	if at := t.accepted().AcceptedAt; at != 0 {
		return []any{"age", max(t.now.Sub(time.Unix(at, 0)), 0).Truncate(time.Second)}
	}
	return nil
}
