package supervisor

import (
	"errors"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
)

// The fate of the exploration's linker: each choice is made in turn.

// handOver gives the linker the jobs of an event.
func (c *course) handOver() {
	c.order(c, c.given...)
	c.given = nil
	c.noteIsWhole()
}

// carryOut does the next job, and returns the answer.
func (c *course) carryOut() event {
	c.tell("    linker: %s", recounted{c.pending()})
	if _, ok := c.pending().(stage); ok {
		c.passed = missing
	}
	before := c.note.outcomes
	answer := c.model.carryOut(c)
	switch e := answer.(type) {
	case noted:
		c.isNoted(before, e)
	case superseded:
		c.fellBack = c.fellBack && !c.staged.fallback
	case touched:
		if c.app != 0 && c.choose(2) == 1 { // it may look at once
			c.appReads()
		}
	}
	c.noteIsWhole()
	return answer
}

func (c *course) settings() *config.Config { return c.config }

func (c *course) find(l letter) found {
	f := found{writing: linker.OneSwap}
	if c.may.local && (l == letterA || l == letterB) {
		f.like = letterA
	}
	if l == spoilt {
		f.wrong = errors.New("key missing")
	}
	return f
}

// changes is one key that differs, or none.
func (c *course) changes(from, to letter) []linker.Change {
	if from == to {
		return nil
	}
	return []linker.Change{{Key: "key"}}
}

func (c *course) demands(_ letter, changes []linker.Change) (config.Action, time.Duration) {
	if changes == nil {
		return noAction, c.config.Splay
	}
	return c.may.actions[c.choose(len(c.may.actions))], c.config.Splay
}

func (c *course) panics(job) error {
	if c.may.panics && c.choose(2) == 1 {
		return errors.New("index out of range")
	}
	return nil
}

func (c *course) refuses(j job) error {
	if p, isPublish := j.(publish); isPublish && !p.shown && c.may.empties && c.choose(2) == 1 {
		return linker.ErrEmptied
	}
	if c.may.refuses && c.choose(2) == 1 {
		return errRefused
	}
	return nil
}

func (c *course) spoils(job) error {
	if c.may.spoils && c.choose(2) == 1 {
		return errors.New("the hook changed a key, or made a FIFO")
	}
	return nil
}

func (c *course) empties() bool { return c.may.empties && c.choose(2) == 1 }

func (c *course) loses(job) error {
	if c.may.loses && c.choose(2) == 1 {
		return errors.New("a key is missing")
	}
	return nil
}

func (c *course) happens() bool { return c.choose(2) == 1 }

func (c *course) watches() bool { return c.may.watches && c.choose(2) == 1 }

func (c *course) isLate() bool { return c.may.late }

func (c *course) hasBegun(job) bool { return c.may.late && c.choose(2) == 1 }

// linkerAgrees: once the linker has done its jobs and confit waits for the next edit, the note says what confit
// takes for accepted, no other generation takes up the disk, and the linker watches what is opened only if confit asks.
func (c *course) linkerAgrees() {
	s := &c.state
	if c.pending() != nil || s.shown() != running || c.isPlain() {
		return
	}
	if c.watching && s.readBy.IsZero() && !s.watched { // else the next look ends it
		c.breaks("the linker watches what is opened, and nobody asks")
	}
	if s.held != nil || !s.note.by.IsZero() || c.unread { // nothing is decided, or can be noted
		return
	}
	if !s.isUnproved() && c.note.ladder != s.ladder.Ladder {
		c.breaks("what is accepted isn't noted")
	}
	for _, g := range c.copies {
		if !s.untidy && !c.isHeld(g.number) && g.number != c.live.number && !slices.Contains(c.note.ladder.Numbers(), g.number) && g.number != 0 {
			c.breaks("a generation stays on the disk for nobody")
		}
	}
}
