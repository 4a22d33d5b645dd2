package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
)

// What follows from the rung that the app is on, and from how long it has lived there.

// lifeCounts reports that a bad end of the app is a death.
func (t *transition) lifeCounts() bool {
	return t.unproved == nil && t.degraded == "" && !t.unacceptedInForce() && t.onLadder().LifeCounts()
}

// soaks is when the accepted generation has soaked; zero: the life of the app says nothing of it, or nothing depends on that.
func (t *transition) soaks() time.Time {
	m := t.onLadder()
	if t.isResting() || !m.MaySoak() && !t.maySaySoaked() {
		return noDeadline
	}
	return m.Ripens()
}

// lived is how long the app has lived since its start.
func (t *transition) lived() time.Duration { return t.now.Sub(t.app.Since).Truncate(time.Millisecond) }

// isMounted reports that the last look found the bytes of a rung.
func (s *state) isMounted(r linker.Rung) bool {
	return s.mounted != nil && (s.mounted.Hash == r.Hash.Hex() || s.mounted.Hash == r.Inputs.Hex())
}

// isRemembered reports that the app has died of the candidate, and that this isn't the time to try it again. What a start died of is tried by
// a start, and only where there is something else.
func (t *transition) isRemembered() bool {
	byStart := t.neverStarted() || t.reloadAction.Kind == config.Restart
	return t.ladder.Remembers(t.candidate.Inputs) && t.hasAccepted() && !t.isAccepted() && (!byStart || !t.over(t.ladder.TriesAgain()))
}

// maySaySoaked reports that it is to be told that the app has lived with an asked hash for --soak. What else is told of that goes first.
func (t *transition) maySaySoaked() bool {
	told := t.accepted().Told
	return told.Asked && !told.Soaked && !t.isDown() && t.outcomes.HoldsUp() == nil && !t.outcomes.SaysGood()
}

// isHarmful reports that the app was rolled back from the candidate before. A renderer that fails
// now and then must not bring it back to the app again and again.
func (t *transition) isHarmful() bool {
	return t.rejection.harmful != linker.Hash{} && t.rejection.harmful == t.candidate.Inputs
}

// age is a key that says how old what the app goes back to is. It may be months.
func (t *transition) age() []any {
	if age, known := t.onLadder().Age(); known {
		return []any{"age", age}
	}
	return nil
}
