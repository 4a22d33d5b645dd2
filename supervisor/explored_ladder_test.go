package supervisor

import (
	"slices"
	"time"

	"confit/linker"
	"confit/status"
)

// What an accepted generation is taken back for.

// goesDownInTime: the app is started on a lower rung only after two deaths in a row, or after one where it died before. What is accepted is dropped
// only when something else is accepted, or when the app has lived below it, or was started on what is above it and lived there.
func (c *course) goesDownInTime(before, after *state) {
	was, is := &before.ladder.Ladder, &after.ladder.Ladder
	switch {
	case c.may.loses, *was == *is, after.shown() == done:
		return
	case c.stopped && before.before != nil && *is == *before.before: // a stop says that there was no death
	case is.On > was.On && was.On == 0 && c.mayDieOnce(before) && was.Top().Deaths+1 < 2 && was.Top().Deaths < 2:
		c.breaks("it goes down before a second death")
	case is.On > was.On+1:
		c.breaks("a rung is left out")
	case is.On > was.On && was.On == 0 && was.Top().Durable:
		c.breaks("it goes down from what is durable")
	case is.Len() > 0 && !slices.Contains(was.Numbers(), is.Top().Number) && is.On == 0: // something new is accepted
	case is.On < was.On && is.Top().Number == was.Top().Number: // the app ended on all of them
		c.mustBeWhole(was, is)
	default:
		c.mayDrop(before, after)
	}
	for _, r := range is.Rungs {
		if c.read != letterOf(r.Hash) && !c.zombie && slices.ContainsFunc(was.Rungs[:], func(before linker.Rung) bool {
			return before.Number == r.Number && (r.Soaked && !before.Soaked || r.Durable && !before.Durable)
		}) {
			c.breaks("what the app hasn't read has soaked")
		}
		if r.Durable && c.start != letterOf(r.Hash) && !slices.ContainsFunc(was.Rungs[:], func(before linker.Rung) bool { return before.Hash == r.Hash && before.Durable }) {
			c.breaks("what the app wasn't started on is durable")
		}
	}
}

// barred is what the app has died of: it isn't reloaded with that again.
func (p *place) barred() (list [backup + 1]bool) {
	if l := p.state.died; l != nil {
		list[letterOf(l.Inputs)] = true
	}
	for _, r := range p.state.ladder.Above() {
		list[letterOf(r.Inputs)] = true
	}
	return list
}

// barLike adds what is like something that the app has died of: while all that can be mounted is, nothing is news.
func (c *course) barLike(list *[backup + 1]bool) {
	m := c.state.rejected
	for _, l := range []letter{letterA, letterB} {
		g := made{number: 1, holds: l, like: c.find(l).like}.generation()
		if m != nil && m.Read && c.state.isAbout(m, g) && !c.may.breaks {
			list[l] = true
		}
	}
}

// mayDieOnce reports that what is accepted isn't something that the app has died of before.
func (c *course) mayDieOnce(s *state) bool {
	return !s.died.IsOf(s.ladder.Top().Inputs)
}

// mustBeWhole: the ladder is as it was, but for the fallback, and no death counts.
func (c *course) mustBeWhole(was, is *linker.Ladder) {
	for i := range is.Rungs {
		if !was.Rungs[i].Fallback && is.Rungs[i].Number != was.Rungs[i].Number || is.Rungs[i].Deaths != 0 {
			c.breaks("the app ended on all rungs, and something is gone, or counted on")
		}
	}
}

// mayDrop: a rung goes only when the app has lived on another for --soak, or is a candidate again, as the validator refuses it.
func (c *course) mayDrop(before, after *state) {
	if refused := after.rejected; before.asks && refused != nil && refused.IsOf(before.ladder.Top().Inputs) && !refused.Read &&
		slices.Equal(after.ladder.Numbers(), before.ladder.Numbers()[before.ladder.On:]) {
		return
	}
	for _, n := range before.ladder.Numbers() {
		if slices.Contains(after.ladder.Numbers(), n) {
			continue
		}
		lives := c.app != 0 && (c.zombie || c.read == letterOf(after.accepted().Hash)) && c.live.number == after.accepted().Number
		if !lives || c.now.Before(c.ripeAt) {
			c.breaks("an accepted generation is dropped, and the app has not lived on another")
		}
	}
}

// startsSoak begins the time that the app has to live.
func (c *course) startsSoak() {
	if soak := c.config.SoakFor(); soak > 0 {
		c.ripeAt = c.now.Add(soak)
	}
}

// mounted writes what the last look found, which decides where something is above, or may be: with that it is rejected.
func (c *canon) mounted(m *status.Mounted) {
	if m != nil && c.above {
		c.form = append(c.form, m.Hash...)
	}
	c.form = append(c.form, 0)
}

// atOf is when a generation was accepted.
type atOf struct {
	number int
	at     int64
}

// accepted writes when a generation was accepted as far as the note compares that: not at all, or at the first of the times
// that are written of its number, or the second…
func (c *canon) accepted(number int, at int64) {
	n := byte(0)
	for _, known := range c.ats {
		if known.number == number {
			n++
		}
		if known == (atOf{number, at}) {
			c.form = append(c.form, n)
			return
		}
	}
	if at != 0 {
		c.ats = append(c.ats, atOf{number, at})
		n++
	} else {
		n = 0
	}
	c.form = append(c.form, n)
}

// since writes for how long the app is at its entrypoint: the next one has twice that time.
func (c *canon) since(at time.Time) {
	if c.works {
		c.time(at, int(long/tick))
	}
}
