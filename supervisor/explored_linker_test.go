package supervisor

import (
	"errors"
	"slices"

	"confit/config"
	"confit/linker"
)

var errRefused = errors.New("disk full")

// order puts a job into the linker's queue. What changes nothing here isn't queued.
// A job that nobody waits for is done at once if there is none before it: it makes no
// difference to anybody.
func (c *course) order(j job) {
	switch j.(type) {
	case mend, lookAtLinks, noteUser:
		return
	}
	i := slices.Index(c.jobs[:], nil)
	if i < 0 {
		c.breaks("the linker's queue grows without end")
		return
	}
	if c.jobs[i] = j; i == 0 && c.isUnanswered() {
		c.carryOut()
	}
}

// isUnanswered reports that nobody waits for the first job.
func (c *course) isUnanswered() bool {
	switch j := c.jobs[0].(type) {
	case unwatchOpens, keep:
		return true
	case arm:
		return !j.awaited
	}
	return false
}

// carryOut does the first job, and returns the answer.
func (c *course) carryOut() event {
	j, mayPanic := c.jobs[0], c.may.panics && !c.isUnanswered()
	copy(c.jobs[:], c.jobs[1:])
	c.jobs[maxJobs-1] = nil
	c.tell("    linker: %s", recounted{j})
	if mayPanic && c.choose(2) == 1 {
		return crashed{errors.New("index out of range")}
	}
	answer := c.carry(j)
	c.noteIsWhole()
	return answer
}

func (c *course) carry(j job) event {
	switch j := j.(type) {
	case stage:
		return c.stage(j)
	case complete:
		return c.complete(j)
	case check:
		return c.checkCandidate(j)
	case publish:
		return c.publish(j)
	case goBack:
		return c.goBack(j)
	case writeNote:
		return c.writeNote(j)
	case arm:
		if c.trial = counted(j.trial); j.awaited {
			return armed{}
		}
	case touch:
		return c.touch()
	case peek:
		return c.peek(j)
	case compare:
		return c.compare(j)
	case keep:
		numbers := []int{j.accepted, j.earlier, j.candidate}
		if j.accepted == 0 {
			numbers = append(numbers, c.former.number)
		}
		c.keepOnly(numbers...)
	case unwatchOpens:
		c.watching = false
	}
	return nil
}

// refuses reports that the system refuses the linker something.
func (c *course) refuses() bool { return c.may.refuses && c.choose(2) == 1 }

// print is what a look at the volumes sees.
func (l letter) print() linker.Print { return linker.Print(l.String()) }

func (c *course) stage(j stage) event {
	c.staged, c.kind, c.passed, c.unrendered, c.rendered = made{}, config.None, missing, false, false
	switch {
	case c.refuses():
		return failed{errRefused}
	case j.fallback:
		return c.candidate(backup, j.known)
	case j.known.Seen == c.mounted.print():
		return unchanged{}
	case c.mounted == spoilt:
		return invalid{errors.New("key missing"), c.changes(spoilt, j.known.Accepted), spoilt.print()}
	}
	return c.candidate(c.mounted, j.known)
}

// changes is one key that differs, or none.
func (c *course) changes(l letter, accepted int) []linker.Change {
	if l == c.copyOf(accepted).holds {
		return nil
	}
	return []linker.Change{{Key: "key"}}
}

// candidate stages what it finds, as linker.Stage does.
func (c *course) candidate(l letter, k linker.Known) event {
	accepted := c.copyOf(k.Accepted)
	renders, isAccepted := len(c.config.Render) > 0, l == accepted.holds
	unrun := isAccepted && k.Spared == linker.Hash{byte(l), inputs}
	if isAccepted && (c.current[l] || !renders || unrun) {
		c.staged = accepted
		c.staged.fallback = l == backup
	} else {
		c.numbers++
		c.staged, c.unrendered = made{number: c.numbers, holds: l, fallback: l == backup}, renders
		c.keep(c.staged)
	}
	e := staged{candidate: linker.Candidate{Generation: c.staged.generation(), Changes: c.changes(l, k.Accepted), Writing: linker.OneSwap, Unrendered: c.unrendered, Unrun: unrun, Seen: l.print()}}
	e.candidate.Hash = c.stagedHash()
	if e.candidate.Changes != nil {
		e.reloadAction = c.may.actions[c.choose(len(c.may.actions))]
	}
	if c.config.Splay > 0 {
		e.splay = c.config.Splay
	}
	c.kind = e.reloadAction.Kind
	return e
}

func (c *course) stagedHash() linker.Hash {
	if c.unrendered {
		return linker.Hash{byte(c.staged.holds), inputs}
	}
	return linker.Hash{byte(c.staged.holds)}
}

// complete takes up what was rendered.
func (c *course) complete(j complete) event {
	accepted := c.copyOf(j.accepted)
	switch {
	case !c.rendered || c.staged.number != j.number:
		c.breaks("it completes what was not rendered")
	case c.refuses():
		return failed{errRefused}
	case c.may.spoils && c.choose(2) == 1:
		return invalid{reason: errors.New("the renderer made a FIFO")}
	}
	c.unrendered, c.current[c.staged.holds] = false, true
	if c.staged.holds == accepted.holds {
		c.copies[slices.Index(c.copies[:], c.staged)] = made{}
		c.staged = accepted
	}
	e := staged{candidate: linker.Candidate{Generation: c.staged.generation(), Changes: c.changes(c.staged.holds, j.accepted)}}
	e.candidate.Fallback = false // only a look can tell
	if e.candidate.Changes != nil {
		e.reloadAction = config.Action{Kind: c.kind, Signal: 10, Command: []string{"reload"}}
	}
	return e
}

func (c *course) checkCandidate(j check) event {
	if c.may.spoils && c.choose(2) == 1 {
		return invalid{reason: errors.New("the hook changed a key")}
	}
	if c.refuses() {
		return failed{errRefused}
	}
	return checked{j.watch != nil && c.watches()}
}

// watches reports whether the linker sees when somebody opens what has changed.
func (c *course) watches() bool {
	c.watching = c.may.watches && c.choose(2) == 1
	return c.watching
}

func (c *course) publish(j publish) event {
	switch {
	case c.staged.number != j.number || j.number == 0:
		c.breaks("it publishes what is no candidate")
		return failed{errRefused}
	case c.staged.holds != c.mounted && !c.staged.fallback:
		return superseded{}
	}
	c.mayBePublished()
	if c.refuses() {
		if c.choose(2) == 1 {
			c.live = c.staged
		}
		return failed{errRefused}
	}
	c.live = c.staged
	return published{j.watch != nil && c.watches()}
}

// goBack is linker.GoBack.
func (c *course) goBack(j goBack) event {
	to := c.former
	if j.to != 0 {
		if to = c.copyOf(j.to); to.number == 0 {
			c.breaks("it goes back to a generation that is gone")
		}
	}
	if c.refuses() {
		return failed{errRefused}
	}
	c.live = to
	if j.from != j.to {
		return withdrawn{changes: []linker.Change{{Key: "key"}}}
	}
	return withdrawn{}
}
