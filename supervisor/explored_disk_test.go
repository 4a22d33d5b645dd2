package supervisor

import (
	"errors"

	"confit/linker"
)

// What the linker writes down: what is accepted, the trial and the report; and what it looks at.

// store is linker.Store.
func (c *course) store(a store) event {
	if c.refuses() {
		return stored{a, errRefused}
	}
	c.note = memory{accepted: asMade(a.accepted.Generation), survived: a.accepted.Survived, earlier: asMade(a.accepted.Earlier)}
	return stored{store: a}
}

func asMade(g linker.Generation) made {
	return made{number: g.Number, holds: letter(g.Hash[0]), fallback: g.Fallback, at: g.AcceptedAt}
}

func (c *course) storeRecord(a storeRecord) event {
	if c.refuses() {
		return recordStored{a.record, errRefused}
	}
	if c.owed != "" && (a.record == nil || a.record.Hash != c.owed) {
		c.breaks("the record of a gate is replaced, and its outcome wasn't delivered")
	}
	c.file = a.record
	return recordStored{record: a.record}
}

// maxCounted is a number of kills from which on none more makes a difference.
const maxCounted = maxKills + 1

func counted(t linker.Trial) linker.Trial {
	t.Kills = min(t.Kills, maxCounted)
	return t
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
func (c *course) peek(j peek) event {
	switch seen, changes := c.mounted.print(), c.changes(c.mounted, j.known.Accepted); {
	case j.known.Seen == seen:
		return peeked{}
	case c.mounted == spoilt:
		return peeked{true, "", changes, seen}
	default:
		return peeked{true, linker.Hash{byte(c.mounted)}.Hex(), changes, seen}
	}
}

// compare is linker.CheckNewest.
func (c *course) compare(j compare) event {
	switch {
	case c.refuses():
		return compared{err: errRefused}
	case c.staged.number == j.number && c.staged.holds != c.mounted && !c.staged.fallback:
		return compared{moved: true}
	}
	return compared{}
}
