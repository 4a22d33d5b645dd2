package supervisor

import "confit/linker"

// What is told of a gate's change, and of what became of it.

// readRecords is what the next confit finds in the note: records of its own. Whatever is open there may be
// told once more.
func (c *course) readRecords() {
	if c.note.record != nil {
		copied := *c.note.record
		c.note.record = &copied
	}
	if c.note.late != nil {
		copied := *c.note.late
		if c.note.late = &copied; copied.Outcome == outcomeRelapsed {
			c.relapsed = ""
		}
	}
}

// blames notes that a generation is rejected whose gate's hash has to be told of.
func (c *course) blames(before, after *state) {
	if before.suspected == nil || after.relapsed == before.relapsed || before.outcomes.late == nil {
		return
	}
	if hash := before.suspected.of.Shared.Hex(); before.outcomes.late.Hash == hash {
		c.verdict = hash
	}
}

// keepsVerdict: a verdict on what was accepted stays in the note until it is delivered, or the hash turns out
// to be well.
func (c *course) keepsVerdict() {
	late := c.note.late
	switch isAbout := late != nil && late.Hash == c.verdict; {
	case c.verdict != "" && (!isAbout || late.Outcome == ""):
		c.breaks("a verdict on what was accepted is dropped, and wasn't delivered")
	case late == nil || !isVerdict(late.Outcome):
		c.verdict = ""
	default:
		c.verdict = late.Hash
	}
}

// mayBeTold: that all is well is told of what is accepted and in force. At its end confit tells only what it
// owes.
func (c *course) mayBeTold(r *linker.Record, inForce linker.Generation) {
	s := &c.state
	switch {
	case r.Outcome == outcomeSettled && (r.Hash != inForce.Shared.Hex() || inForce != s.accepted.Generation):
		c.breaks("what isn't in force is told to be well")
	case s.isEnding() && !s.outcomes.isOwed(r):
		c.breaks("the end tells what nobody waits for")
	}
}

// isTold: a relapse is told once.
func (c *course) isTold(r *linker.Record) {
	if r == c.state.outcomes.gated && r.Hash == c.owed {
		c.owed = ""
	}
	if isVerdict(r.Outcome) && r.Hash == c.verdict {
		c.verdict = ""
	}
	if r.Outcome == outcomeRelapsed {
		if r.Hash == c.relapsed {
			c.breaks("a relapse is told twice")
		}
		c.relapsed = r.Hash
	}
}

// isNoted: the record of a gate stays in the note until its outcome is delivered.
func (c *course) isNoted(e noted) {
	if e.err != nil {
		return
	}
	if c.owed != "" && (e.note.Record == nil || e.note.Record.Hash != c.owed) {
		c.breaks("the record of a gate is replaced, and its outcome wasn't delivered")
	}
	if e.note == c.state.note.given { // no newer one is on its way
		c.keepsVerdict()
	}
}
