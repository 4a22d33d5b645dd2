package supervisor

import (
	"errors"

	"confit/linker"
)

// What the linker writes down: what is accepted, the trial and the report; and what it looks at.

// writeNote is linker.WriteNote.
func (c *course) writeNote(a writeNote) event {
	n, record := a.note.Accepted, a.note.Record
	if c.refuses() {
		return noted{a.note, errRefused}
	}
	if c.owed != "" && (record == nil || record.Hash != c.owed) {
		c.breaks("the record of a gate is replaced, and its outcome wasn't delivered")
	}
	c.note = memory{accepted: asMade(n.Generation), survived: n.Survived, settled: n.Settled, relapses: n.Relapses, earlier: asMade(n.Earlier), record: record, late: a.note.Late}
	if a.note == c.state.note.given { // no newer one is on its way
		c.keepsVerdict()
	}
	if a.note.Relapsed != nil {
		c.note.relapsed = letter(linker.ParseHash(a.note.Relapsed.Hash)[0])
	}
	return noted{note: a.note}
}

func asMade(g linker.Generation) made {
	return made{number: g.Number, holds: letter(g.Hash[0]), fallback: g.Fallback, at: g.AcceptedAt}
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
