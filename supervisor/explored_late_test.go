package supervisor

import (
	"slices"

	"confit/linker"
	"confit/supervisor/outcomes"
)

// What is told of a gate's change, and of what became of it.

// readOutcomes is what the next confit finds in the note. A relapse that stands there may be told once more.
func (c *course) readOutcomes() {
	c.delivered = nil
	for _, r := range c.note.outcomes {
		if r.Kind == outcomes.Relapsed {
			c.relapsed = ""
		}
	}
}

// blames notes that a generation is rejected whose gate has to hear of it.
func (c *course) blames(before, after *state) {
	for _, r := range before.ladder.Above() {
		if r.Told.Asked && !slices.Contains(after.ladder.Numbers(), r.Number) {
			c.verdict = r.Shared.Hex()
		}
	}
}

// mayBeTold: that all is well is told of what is accepted and in force. At its end confit tells only the list.
func (c *course) mayBeTold(r *linker.Outcome, inForce linker.Generation) {
	s := &c.state
	switch {
	case r.Kind == outcomes.Soaked && (r.Hash != inForce.Shared.Hex() || inForce != s.accepted().Generation):
		c.breaks("what isn't in force is told to be well")
	case s.isEnding() && !s.outcomes.IsListed(r):
		c.breaks("the end tells what nobody waits for")
	}
}

// isTold: a relapse is told once.
func (c *course) isTold(r *linker.Outcome) {
	if c.state.outcomes.IsListed(r) {
		c.delivered = append(slices.Clip(c.delivered), *r)
	}
	if r.Hash == c.owed {
		c.owed = ""
	}
	if (r.Kind == outcomes.Rejected || r.Kind == outcomes.RolledBack) && r.Hash == c.verdict {
		c.verdict = ""
	}
	if r.Kind == outcomes.Relapsed {
		if r.Hash == c.relapsed {
			c.breaks("a relapse is told twice")
		}
		c.relapsed = r.Hash
	}
}

// isNoted: what the note holds of a gate stays there until the hook has taken that. A question gets its outcome.
func (c *course) isNoted(before []linker.Outcome, e noted) {
	if e.err != nil {
		return
	}
	list := e.note.Outcomes
	about := func(hash string) bool {
		return slices.ContainsFunc(list, func(r linker.Outcome) bool { return r.Hash == hash })
	}
	for _, r := range before {
		switch {
		case outcomes.IsGood(r), c.wasDelivered(r):
		case outcomes.IsQuestion(r) && !about(r.Hash), outcomes.IsDecided(r) && !slices.Contains(list, r):
			c.breaks("an outcome of a gate is gone, and wasn't delivered")
		}
	}
	if e.note == c.state.note.given { // no older note brings back what was delivered
		c.delivered = slices.DeleteFunc(slices.Clone(c.delivered), func(r linker.Outcome) bool { return !slices.Contains(list, r) })
	}
	switch {
	case c.owed != "" && !about(c.owed):
		c.breaks("the outcome of a gate isn't noted, and wasn't delivered")
	case len(list) > maxOutcomes:
		c.breaks("the list of outcomes grows")
	case c.verdict != "" && about(c.verdict):
		c.verdict = ""
	case c.verdict != "" && e.note == c.state.note.given: // no newer one is on its way
		c.breaks("a verdict on what was accepted is dropped, and wasn't delivered")
	}
}

// wasDelivered reports that the hook has taken an outcome, or the answer to a question: a note that had the answer alone
// may have been replaced by one without.
func (c *course) wasDelivered(noted linker.Outcome) bool {
	return slices.ContainsFunc(c.delivered, func(r linker.Outcome) bool {
		return r == noted || outcomes.IsQuestion(noted) && r.Hash == noted.Hash
	})
}

// asks reports that a question is all that holds up a gate.
func asks(list []linker.Outcome, hash string) bool {
	return slices.Equal(slices.DeleteFunc(slices.Clone(list), outcomes.IsGood), []linker.Outcome{{Hash: hash}})
}

// maxOutcomes bounds what the note holds: a question, how the one before ended, and what came of that.
const maxOutcomes = 8
