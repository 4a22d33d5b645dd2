package supervisor

import (
	"slices"

	"confit/config"
	"confit/linker"
)

// How the model carries out the jobs that somebody waits for. Each answers as the linker does.

func (m *model) carry(f fate, j job) event {
	switch j := j.(type) {
	case stage:
		return m.stage(f, j)
	case complete:
		return m.complete(f, j)
	case publish:
		return m.publish(f, j)
	case goBack:
		return m.goBack(f, j)
	case writeNote:
		return m.writeNote(f, j)
	case record:
		m.record(j)
		return recorded{}
	case touch:
		return touched{watched: m.watch(f), err: f.refuses(j)}
	case compare:
		return m.compare(f, j)
	case glance:
		return m.glance(f, j)
	case repair:
		if anew := f.empties(); anew || j.awaited {
			return repaired{anew: anew, awaited: j.awaited}
		}
	}
	return nil
}

// watch reports whether the linker sees what is opened from now on.
func (m *model) watch(f fate) bool {
	m.watching = f.watches()
	return m.watching
}

// stage is linker.Stage, and linker.StageFallback.
func (m *model) stage(f fate, j stage) event {
	m.staged, m.action, m.unrendered, m.rendered = made{}, noAction, false, false
	l, seen := m.mounted, m.print()
	if j.fallback {
		l, seen = m.baked, m.baked.printOfFallback()
	}
	if err := f.refuses(j); err != nil {
		return failed{err}
	}
	if j.known.Fingerprint == seen && !j.fallback {
		return unchanged{}
	}
	if err := f.find(l).wrong; err != nil {
		return invalid{err, m.changes(f, l, j.known.Accepted), seen}
	}
	e := m.candidate(f, l, j)
	e.candidate.Fingerprint = seen
	return e
}

// changes lists the keys that differ from the accepted generation.
func (m *model) changes(f fate, to letter, accepted int) []linker.Change {
	return f.changes(m.copyOf(accepted).holds, to)
}

// candidate stages what the linker finds. What is accepted is staged anew only to be rendered.
func (m *model) candidate(f fate, l letter, j stage) staged {
	accepted, of := m.copyOf(j.known.Accepted), f.find(l)
	renders, isAccepted := len(f.settings().Render) > 0, l == accepted.holds
	unrun := renders && isAccepted && j.known.Except == l.inputs()
	if isAccepted && (accepted.current || !renders || unrun) {
		m.staged = accepted
		m.staged.fallback = j.fallback
	} else {
		m.numbers++
		m.staged, m.unrendered = made{number: m.numbers, holds: l, like: of.like, fallback: j.fallback}, renders
		if !m.keep(m.staged) {
			f.breaks("the disk gets full of what nobody goes back to")
		}
	}
	e := staged{candidate: linker.Candidate{Generation: m.staged.generation(), Changes: m.changes(f, l, j.known.Accepted),
		Writing: of.writing, Unrendered: m.unrendered, Unrun: unrun}}
	if m.unrendered {
		e.candidate.Hash = l.inputs()
	}
	e.reloadAction, e.splay = f.demands(l, e.candidate.Changes)
	m.action = e.reloadAction
	return e
}

// complete is linker.Complete: it takes up what was rendered. Only a look can tell whether that is of the
// fallback.
func (m *model) complete(f fate, j complete) event {
	accepted := m.copyOf(j.accepted)
	if !m.rendered || m.staged.number != j.number {
		f.breaks("it completes what was not rendered")
		return failed{errRefused}
	}
	if err := f.refuses(j); err != nil {
		return failed{err}
	}
	if err := f.spoils(j); err != nil {
		return invalid{reason: err}
	}
	m.unrendered = false
	at := slices.IndexFunc(m.copies[:], func(g made) bool { return g.number == m.staged.number })
	if m.staged.holds == accepted.holds {
		m.copies[at] = made{}
		at = slices.Index(m.copies[:], accepted)
		accepted.fallback = m.staged.fallback
		m.staged = accepted
	}
	m.staged.current, m.copies[at].current = true, true
	e := staged{candidate: linker.Candidate{Generation: m.staged.generation(), Changes: m.changes(f, m.staged.holds, j.accepted)}}
	e.candidate.Fallback, e.reloadAction = false, m.action
	return e
}

// isOvertaken reports that the volumes moved on since the candidate was staged.
func (m *model) isOvertaken() bool {
	if m.staged.fallback {
		return m.staged.holds != m.baked
	}
	return m.staged.holds != m.mounted
}

// publish is linker.Publish, or linker.Check of what is published or tried.
func (m *model) publish(f fate, j publish) event {
	tries := f.settings().Mode == config.Try
	switch {
	case m.staged.number != j.number || j.number == 0 || tries && !j.shown || j.shown && !tries && m.live.number != j.number:
		f.breaks("it publishes what is no candidate")
		return failed{errRefused}
	case !j.shown && m.isOvertaken():
		return superseded{}
	case j.hooked || j.shown:
		if err := f.spoils(j); err != nil {
			return invalid{reason: err}
		}
	}
	if !j.shown || tries {
		f.mayBePublished()
	}
	if tries {
		return published{}
	}
	if err := f.refuses(j); err != nil {
		if err != linker.ErrEmptied && f.happens() { // else nothing is begun
			m.show(m.staged)
		}
		return failed{err}
	}
	m.show(m.staged)
	m.watching = false // what was published before
	return published{j.watch != nil && m.watch(f)}
}

// goBack is linker.GoBack.
func (m *model) goBack(f fate, j goBack) event {
	to := m.former
	if j.to != 0 {
		if to = m.copyOf(j.to); to.number == 0 {
			f.breaks("it goes back to a generation that is gone")
		}
	}
	if err := f.refuses(j); err != nil {
		return failed{err}
	}
	if j.to != 0 {
		if err := f.loses(j); err != nil {
			return lost{err}
		}
	}
	m.show(to)
	if j.from != j.to {
		return withdrawn{changes: f.changes(m.copyOf(j.from).holds, to.holds)}
	}
	return withdrawn{}
}

// record is linker.RecordTrial.
func (m *model) record(j record) {
	if !m.unread {
		m.trial = counted(j.trial)
	}
}

// writeNote is linker.WriteNote.
func (m *model) writeNote(f fate, j writeNote) event {
	if m.unread {
		return noted{j.note, errUnread}
	}
	if err := f.refuses(j); err != nil {
		return noted{j.note, err}
	}
	m.note = asMemory(j.note)
	return noted{note: j.note}
}

// compare is linker.CheckNewest.
func (m *model) compare(f fate, j compare) event {
	if err := f.refuses(j); err != nil {
		return compared{j.number, err}
	}
	if m.staged.number == j.number && m.isOvertaken() {
		return compared{j.number, linker.ErrSuperseded}
	}
	return compared{number: j.number}
}

// glance is linker.Stage of what is not written.
func (m *model) glance(f fate, j glance) event {
	l := m.mounted
	if err := f.refuses(j); err != nil {
		return glanced{j.inForce, linker.Candidate{}, err}
	}
	c := linker.Candidate{Changes: m.changes(f, l, j.accepted)}
	if of := f.find(l); of.wrong == nil {
		c.Generation = made{number: 1, holds: l, like: of.like}.generation()
		c.Number = 0
		if len(f.settings().Render) > 0 {
			c.Hash = l.inputs()
		}
	}
	return glanced{j.inForce, c, nil}
}
