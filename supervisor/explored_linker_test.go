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
	switch j := j.(type) {
	case mend, lookAtLinks, noteUser:
		return
	case accept:
		c.mayBeAccepted(c.toBeAccepted(), j.survived)
		c.readAt, c.verified = noDeadline, false
		if c.app != 0 { // which reads by itself if it needn't be told
			c.read = c.live.holds
		}
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
	switch c.jobs[0].(type) {
	case unwatchOpens, accept, tidy, discard, forget, noteStep, abandonTrial:
		return true
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
		return c.complete()
	case check:
		return c.checkCandidate(j)
	case publish:
		return c.publish(j)
	case withdraw:
		return c.withdraw()
	case goBack:
		return c.goBack()
	case accept:
		c.accept(j)
	case store:
		return c.store(j)
	case storeReport:
		return c.storeReport(j)
	case arm:
		c.arm(j.step)
		return armed{}
	case touch:
		return c.touch()
	case peek:
		return c.peek()
	case compare:
		return c.compare()
	default:
		c.carrySilently(j)
	}
	return nil
}

func (c *course) carrySilently(j job) {
	switch j := j.(type) {
	case noteStep:
		c.arm(j.step)
	case abandonTrial:
		c.abandonTrial()
	case discard:
		c.discard()
	case tidy:
		c.remove(func(n int) bool { // less careful than the linker, which spares what is noted
			return n == c.held.accepted.number || n == c.held.earlier.number || n == c.staged.number || n == c.live.number
		})
	case forget:
		c.seen = missing
	case unwatchOpens:
		c.watching = false
	}
}

// refuses reports that the system refuses the linker something.
func (c *course) refuses() bool { return c.may.refuses && c.choose(2) == 1 }

func (c *course) discard() {
	if n := c.staged.number; n != c.live.number && !c.isHeld(n) && n != c.note.accepted.number && n != c.note.earlier.number {
		c.remove(func(other int) bool { return other != n })
	}
	c.staged, c.kind, c.passed, c.unrendered, c.rendered = made{}, config.None, missing, false, false
}

func (c *course) stage(j stage) event {
	c.discard()
	if j.again {
		c.seen = missing
	}
	switch {
	case c.refuses():
		return failed{errRefused}
	case j.fallback:
		return c.candidate(backup)
	case c.seen == c.mounted:
		return unchanged{}
	}
	c.seen, c.peeked = c.mounted, c.mounted
	if c.mounted == spoilt {
		return invalid{reason: errors.New("key missing"), changes: c.changes(spoilt)}
	}
	return c.candidate(c.mounted)
}

// changes is one key that differs, or none.
func (c *course) changes(l letter) []linker.Change {
	if l == c.held.accepted.holds {
		return nil
	}
	return []linker.Change{{Key: "key"}}
}

// candidate stages what it finds, as linker.Stage does.
func (c *course) candidate(l letter) event {
	renders, isHeld := len(c.config.Render) > 0, l == c.held.accepted.holds
	hash := linker.Hash{byte(l), inputs}
	unrun := isHeld && renders && c.killsOf(hash).step == linker.StepRender
	if isHeld && (c.current || !renders || unrun) {
		c.staged = c.held.accepted
		c.staged.fallback = l == backup
	} else {
		c.numbers++
		c.staged, c.unrendered = made{number: c.numbers, holds: l, fallback: l == backup}, renders
		c.keep(c.staged)
	}
	e := staged{candidate: linker.Candidate{Generation: c.staged.generation(), Changes: c.changes(l), Writing: linker.OneSwap, Unrendered: c.unrendered, Unrun: unrun}}
	if e.candidate.Hash = c.stagedHash(); !c.proven() {
		e.candidate.Kills, e.candidate.KilledIn = c.killsOf(e.candidate.Hash).kills, c.killsOf(e.candidate.Hash).step
	}
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
func (c *course) complete() event {
	switch {
	case !c.rendered || c.staged.number == 0:
		c.breaks("it completes what was not rendered")
	case c.refuses():
		c.seen = missing
		return failed{errRefused}
	case c.may.spoils && c.choose(2) == 1:
		return invalid{reason: errors.New("the renderer made a FIFO")}
	}
	c.unrendered = false
	if c.staged.holds == c.held.accepted.holds {
		n := c.staged.number
		c.remove(func(other int) bool { return other != n })
		c.staged, c.current = c.held.accepted, true
	}
	e := staged{candidate: linker.Candidate{Generation: c.staged.generation(), Changes: c.changes(c.staged.holds)}}
	if !c.proven() {
		e.candidate.Kills, e.candidate.KilledIn = c.killsOf(e.candidate.Hash).kills, c.killsOf(e.candidate.Hash).step
	}
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
	case c.staged.number == 0:
		c.breaks("it publishes without a candidate")
		return failed{errRefused}
	case c.staged.holds != c.mounted && !c.staged.fallback:
		c.seen = missing
		return superseded{}
	}
	c.mayBePublished()
	refused := c.refuses()
	c.replaces, c.shown = c.live, true
	if c.held.accepted.number != 0 {
		c.replaces = c.held.accepted
	}
	if c.proven() {
		c.forgetTrial()
	}
	c.arm(linker.StepProbation)
	if refused {
		c.seen = missing
		if c.choose(2) == 1 {
			c.live = c.staged
		}
		return failed{errRefused}
	}
	c.live = c.staged
	return published{j.watch != nil && c.watches()}
}

// withdraw is linker.Reject.
func (c *course) withdraw() event {
	if c.shown {
		if c.refuses() {
			return failed{errRefused}
		}
		c.live, c.shown, c.replaces = c.replaces, false, made{}
	}
	c.abandonTrial()
	c.discard()
	return withdrawn{}
}
