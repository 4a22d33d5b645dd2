package supervisor

import (
	"errors"

	"confit/config"
	"confit/linker"
)

// What the linker writes down: what is accepted, the trial and the report.

// accept is linker.Accept.
func (c *course) accept(a accept) {
	g := c.toBeAccepted()
	g.at = a.at
	before := c.held
	next := before.former().Next(g.generation(), a.survived)
	c.held = memory{accepted: g, survived: next.Survived}
	switch next.Earlier.Number {
	case 0:
	case before.accepted.number:
		c.held.earlier = before.accepted
	default:
		c.held.earlier = before.earlier
	}
	if c.staged.number != 0 {
		c.current = c.current && before.accepted.holds == g.holds || c.rendered
		if !g.fallback {
			c.forgetTrial()
		}
	}
	if c.live.number == g.number {
		c.live = g
	}
	for i, m := range c.copies {
		if m.number == g.number {
			c.copies[i] = g
		}
	}
	c.staged, c.kind, c.passed, c.unrendered, c.rendered, c.shown, c.replaces = made{}, config.None, missing, false, false, false, made{}
}

// toBeAccepted is what an accept is about.
func (c *course) toBeAccepted() made {
	if c.staged.number != 0 {
		return c.staged
	}
	return c.held.accepted
}

// goBack is linker.GoBack.
func (c *course) goBack() event {
	switch {
	case c.held.earlier.number != 0:
		c.held = memory{accepted: c.held.earlier, survived: true}
		c.shown, c.replaces, c.current = true, c.held.accepted, false
	case !c.shown:
		c.breaks("it goes back, and there is no earlier generation")
	}
	if e, ok := c.withdraw().(failed); ok {
		return e
	}
	return withdrawn{changes: []linker.Change{{Key: "key"}}}
}

func (c *course) store(a store) event {
	if c.refuses() {
		return stored{a, errRefused}
	}
	c.note = c.held
	return stored{store: a}
}

func (c *course) storeReport(a storeReport) event {
	if c.refuses() {
		return reportStored{a.report, errRefused}
	}
	if c.owed != "" && (a.report == nil || a.report.Hash != c.owed) {
		c.breaks("the record of a gate is replaced, and its outcome wasn't delivered")
	}
	c.file = a.report
	return reportStored{report: a.report}
}

// killsOf is what a former confit's trial says of a hash.
func (c *course) killsOf(hash linker.Hash) tried {
	if c.killed.hash != hash {
		return tried{}
	}
	return c.killed
}

// proven reports that an app has survived a start on what is staged.
func (c *course) proven() bool {
	return !c.unrendered && c.held.survived && c.held.accepted.holds == c.staged.holds
}

// maxCounted is a number of kills from which on none more makes a difference.
const maxCounted = maxKills + 1

// arm is linker.Arm.
func (c *course) arm(step string) {
	if c.staged.number == 0 || c.staged.fallback || c.proven() {
		return
	}
	hash := c.stagedHash()
	next := tried{hash, step, min(c.killsOf(hash).kills+1, maxCounted)}
	if next != c.open {
		c.open, c.trial = next, next
	}
}

func (c *course) abandonTrial() {
	if c.open != (tried{}) {
		c.endTrial()
	}
}

func (c *course) endTrial() {
	if c.open.hash == c.killed.hash {
		c.killed = tried{}
	}
	c.open, c.trial = tried{}, tried{}
}

// forgetTrial ends it as a generation of these keys is accepted.
func (c *course) forgetTrial() {
	if c.open == (tried{}) && c.killsOf(linker.Hash{byte(c.staged.holds), inputs}).step == linker.StepRender {
		return
	}
	c.killed = tried{}
	c.endTrial()
}

// touch shows the app that something has changed. It may read that at once.
func (c *course) touch() event {
	if c.may.refuses && c.choose(2) == 1 {
		return touched{err: errors.New("read-only")}
	}
	watched := c.watches()
	if c.app != 0 && c.choose(2) == 1 {
		c.appReads()
	}
	return touched{watched: watched}
}

// peek is linker.Peek.
func (c *course) peek() event {
	if c.mounted == c.peeked {
		return peeked{}
	}
	c.peeked, c.seen = c.mounted, missing
	if c.mounted == spoilt {
		return peeked{true, "", c.changes(spoilt)}
	}
	return peeked{true, linker.Hash{byte(c.mounted)}.Hex(), c.changes(c.mounted)}
}

// compare is linker.CheckNewest.
func (c *course) compare() event {
	switch {
	case c.refuses():
		c.seen = missing
		return compared{err: errRefused}
	case c.staged.number != 0 && c.staged.holds != c.mounted && !c.staged.fallback:
		c.seen = missing
		return compared{moved: true}
	}
	return compared{}
}
