package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
)

// What the app has died of may not be to blame: a name outside can't be resolved, or a certificate
// has expired. Once the app has lived through a probation on an older edition the validator is asked
// about the newest. If it refuses that, the edition is a candidate that was refused, and tried again.
// If it passes, the bytes are to blame.

// asksAt is when the validator is asked; zero: it isn't.
func (t *transition) asksAt() time.Time {
	if t.asked || !t.ladder.IsDown() || !t.wouldAsk() {
		return noDeadline
	}
	return t.survivesAt()
}

// ask has the look that begins be about that, if it is due.
func (t *transition) ask() {
	if t.isDue(t.asksAt()) {
		t.asked, t.asks = true, true
		t.forgetLook()
	}
}

// mayAsk reports that the app has died of the candidate, and doesn't read that before it has passed.
// A validator that confit was killed with isn't asked again.
func (t *transition) mayAsk() bool {
	return t.asks && t.kills() == 0 && t.ladder.WasTried(t.candidate.Generation) && !t.isShownBy(t.reloadAction)
}

// isShownBy reports that the app may read what is validated, as it is published before that.
func (t *transition) isShownBy(a config.Action) bool {
	return !t.validatesBefore() && (a.Kind == config.None || a.Kind == config.Touch)
}

// askTodo is what to do about an edition that the validator refuses now.
const askTodo = "put right what has changed outside since it was accepted, such as a name, a peer or a certificate: it is tried again, and in force once it passes"

// wouldAsk reports that there is something to ask, before the app has soaked.
func (t *transition) wouldAsk() bool {
	c := t.config
	return len(c.Validate) > 0 && c.Probation > 0 && c.Probation < c.SoakFor()
}

// willAsk says what is asked about the newest edition, for the line that the app goes down, by changes.
func (t *transition) willAsk(changes []linker.Change) []any {
	if !t.wouldAsk() || t.isShownBy(strongest(t.config, changes)) {
		return nil
	}
	return []any{"validated", "once the app has lived here for " + t.config.Probation.String()}
}
