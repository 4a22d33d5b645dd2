package supervisor

import (
	"fmt"
	"slices"

	"confit/config"
	"confit/linker"
	"confit/supervisor/app"
)

// mayStartApp: at most one app is alive, none is started after a stop, and none
// without a generation.
func (c *course) mayStartApp() {
	if c.app != 0 {
		c.breaks("a second app is started")
	}
	if c.config.Mode == config.Try {
		c.breaks("a try starts an app")
	}
	if c.live.number == 0 {
		c.breaks("an app is started without a generation")
	}
	c.notAfterStop("starts an app")
}

// notAfterStop: after TERM nothing is started.
func (c *course) notAfterStop(what string) {
	if c.stopped {
		c.breaks("after a stop confit " + what)
	}
}

// isAlive: only the app that is there is signalled.
func (c *course) isAlive(pid int) {
	if pid != c.app || pid == 0 {
		c.breaks("a pid is signalled that isn't the app's")
	}
}

// hadApp: nothing is drained before an app has run. Group 0 is confit's own.
func (c *course) hadApp(group int) {
	if group <= 1 {
		c.breaks("confit ends its own group")
	}
}

// appReads: what the app reads was validated, or was accepted before.
func (c *course) appReads() {
	l := c.live.holds
	if len(c.config.Validate) > 0 && !c.valid[l] && !c.isHeld(c.live.number) && !c.isPlain() {
		c.breaks("the app reads " + l.String() + ", which was not validated")
	}
	if !c.isThere(c.live) {
		c.breaks("the app reads a generation that is gone")
	}
	c.read, c.verified = l, false
	if c.readAt = c.now; c.isHeld(c.live.number) && c.state.accepted().Started {
		c.readAt = noDeadline
	}
}

// isHeld reports that a generation is accepted.
func (p *place) isHeld(number int) bool { return slices.Contains(p.state.ladder.Numbers(), number) }

// accepted is what confit takes for accepted.
func (p *place) accepted() letter { return letterOf(p.state.accepted().Hash) }

func (c *course) isPlain() bool { return c.state.degraded != "" }

// mayBePublished: what the validator can read before is valid when it is published,
// what is gated has passed the gate, and what is rendered was rendered.
func (c *course) mayBePublished() {
	l, isNew := c.staged.holds, !c.isHeld(c.staged.number)
	t := transition{state: c.state, config: c.config}
	switch {
	case c.isSame():
		c.breaks(l.String() + " is published as the fallback, and was rejected")
	case !isNew:
	case c.unrendered:
		c.breaks(l.String() + " is published, and was not rendered")
	case t.validatesBefore() && !c.valid[l]:
		c.breaks(l.String() + " is published, and was not validated")
	case len(c.config.Gate) > 0 && c.state.accepted().Number != 0 && c.state.accepted().Shared != c.staged.generation().Shared && c.passed != l:
		c.breaks(l.String() + " is published, and the gate was not asked")
	}
}

// mayBeAccepted: what the app has read is accepted only when it is proved. Without
// anything else to go back to it stays in force without a proof.
func (c *course) mayBeAccepted(before, after linker.Ladder) {
	was, is := before.InForce(), after.InForce()
	l, survived := letterOf(is.Hash), is.Started && !was.Started && is.Number == was.Number && !is.Durable // else it has soaked
	isNew := is.Number != 0 && !slices.Contains(before.Numbers(), is.Number)
	if !isNew && !survived {
		if is.Number == 0 && was.Number != 0 && after.On == 0 && !c.may.loses {
			c.breaks("nothing is accepted")
		}
		return
	}
	asked := c.action.Kind != config.None || survived
	switch {
	case c.live.number != is.Number:
		c.breaks("what isn't in force is accepted")
	case c.state.isUnproved() || !asked:
	case c.app == 0:
		c.breaks(l.String() + " is accepted without an app")
	case c.config.Probation == 0 && (c.zombie || c.action.Kind == config.Touch): // it is believed, and may be dead by now
	case c.read != l:
		c.breaks(l.String() + " is accepted, and the app has not read it")
	case was.Started && was.Hash == is.Hash:
	case c.now.Before(c.readAt.Add(c.config.Probation)):
		c.breaks(l.String() + " is accepted before its probation is over")
	case len(c.config.Verify) > 0 && !c.verified:
		c.breaks(l.String() + " is accepted without a verify hook after the probation")
	}
	if isNew && after.On == 0 {
		c.startsSoak()
	}
	c.readAt, c.verified = noDeadline, false
	if c.app != 0 { // which reads by itself if it needn't be told
		c.read = c.live.holds
	}
}

// noteIsWhole: what note.json names is on the disk, and so is what the targets
// lead to.
func (c *course) noteIsWhole() {
	for _, m := range append(c.note.rungs(), c.live) {
		if !c.isThere(m) {
			c.breaks("a generation is gone that " + m.holds.String() + " is needed for")
		}
	}
	for _, r := range c.state.ladder.Rungs {
		if !c.isThere(made{number: r.Number, holds: letterOf(r.Hash)}) {
			c.breaks("a generation is gone that confit may go back to")
		}
	}
}

// gateHasQuestion: a gate is asked only with the question on the disk, and when the
// outcome of the one before was delivered.
func (c *course) gateHasQuestion(hash string) {
	switch {
	case !asks(slices.DeleteFunc(slices.Clone(c.note.outcomes), func(r linker.Outcome) bool { return slices.Contains(c.delivered, r) }), hash):
		c.breaks("a gate is asked without a question, or before what was decided is delivered")
	case c.owed != "" && c.owed != hash:
		c.breaks("a gate is asked, and the outcome of the one before wasn't delivered")
	case c.verdict != "":
		c.breaks("a gate is asked, and a verdict on what was accepted wasn't delivered")
	}
	c.owed = hash
}

// deadlinesAreAhead: after each event every time that confit waits for is still to come. One that has come was
// taken up by the event, or it is due again and again, and the loop spins. That holds for what the next look is
// made of, too: a bound on the deadline alone would turn a loop into a look a second.
func (c *course) deadlinesAreAhead(s *state) {
	wanted := s.timers()
	if s.phase == running && !s.pending {
		wanted = append(wanted, s.readBy, s.rejected.TryBy(), s.killed.TryBy(), s.doubted.TryBy())
	}
	if !s.soaks.Equal(s.soaksAt(c.config)) {
		c.breaks("the time when what is accepted has soaked isn't the one that was asked after the event")
	}
	for _, by := range wanted {
		if c.config.DrainTimeout == 0 && by.Equal(c.now) && by.Equal(s.app.Deadline) { // once
			continue
		}
		if !by.IsZero() && !c.now.Before(by) && s.shown() != done {
			c.breaks(fmt.Sprintf("a time that %v waits for is %v ago, and nobody has taken it up", s.shown(), c.now.Sub(by)))
		}
	}
}

// phaseWaits: every phase has a deadline, but stopping, where the platform owns it,
// and a plain init that runs.
func (c *course) phaseWaits() {
	switch s := &c.state; {
	case s.shown() == done, s.shown() == phase(app.Stopping), s.shown() == running && s.degraded != "":
	case s.due().IsZero():
		c.breaks("phase " + s.shown().String() + " has no deadline")
	}
}

// agrees: the trial on the disk is the one that confit knows, once the linker has done
// its jobs; and an app runs if confit says so.
func (c *course) agrees() {
	s := &c.state
	if c.pending() == nil && !c.isPlain() && !c.unread && c.trial != counted(s.recorded.Record()) {
		c.breaks("the trial on the disk isn't the one that confit knows")
	}
	waits := s.killed.IsUnconfirmed() && s.killed.IsOf(c.mounted.inputs())
	if s.shown() == running && !c.isPlain() && s.fingerprint == c.mounted.print() && c.mounted != c.accepted() && s.rejected == nil && !waits && !slices.ContainsFunc(s.ladder.Above(), s.isLikeMounted) {
		c.breaks("what is mounted is neither accepted nor rejected, and no look takes it up")
	}
	if s.shown() == running && c.app == 0 {
		c.breaks("running without an app")
	}
}

// isGood reports a place where the app is served what was accepted, or which is the
// end.
func (p *place) isGood() bool {
	switch {
	case p.state.shown() == done:
		return true
	case p.state.shown() != running || p.app == 0 || p.zombie || p.live.number == 0:
		return false
	case p.state.degraded != "": // it can do nothing any more
		return true
	}
	return p.live.number == p.state.accepted().Number && p.read == p.live.holds
}
