package supervisor

import (
	"slices"

	"confit/supervisor/slots"
)

// The linker of a model does what is in its slots, in their order.

// order hands the linker the jobs of an event. What changes nothing here isn't kept. A job of a transaction that has begun
// may be replaced: then it is carried out all the same, and nobody hears the answer.
func (m *model) order(f fate, jobs ...job) {
	jobs = slices.DeleteFunc(jobs, func(j job) bool {
		k := orderOf(j).Kind
		return k == slots.Repair || k == slots.Links || k == slots.User
	})
	if m.isIdleBut(slots.Transaction) && len(jobs) > 0 && !m.begun {
		m.begun = f.hasBegun(m.pending())
	}
	for _, j := range jobs {
		o := orderOf(j)
		if m.begun && o.Awaited {
			m.begun = false
			m.drop(m.carry(f, left(m.jobs, slots.Transaction)))
		}
		if c, ok := j.(collect); ok {
			c.newest = m.heard
			o.Job = c
		}
		m.jobs.Put(o)
	}
	for !f.isLate() && m.isUnanswered() {
		m.carryOut(f)
	}
}

// isIdleBut reports that only the slot of a kind has a job.
func (m *model) isIdleBut(k slots.Kind) bool {
	j := m.pending()
	return j != nil && orderOf(j).Kind == k
}

// drop is for an answer that nobody hears.
func (m *model) drop(e event) {
	if e, ok := e.(staged); ok {
		m.jobs.Put(orderOf(discard{e.candidate.Number}))
	}
}

// take takes out the next job, and reports whether somebody waits for its answer.
func (m *model) take(from *slots.Jobs[job]) (j job, isAwaited bool) {
	if m.begun {
		return from.Take(slots.Transaction)
	}
	return from.Next()
}

// left is the job in a slot; nil: none.
func left(of slots.Jobs[job], k slots.Kind) job {
	j, _ := of.Take(k)
	return j
}

// pending is the job that the linker does next; nil: there is none.
func (m *model) pending() job {
	rest := m.jobs
	j, _ := m.take(&rest)
	return j
}

// isUnanswered reports that nobody waits for the next job.
func (m *model) isUnanswered() bool {
	rest := m.jobs
	j, isAwaited := m.take(&rest)
	switch j.(type) {
	case unwatchOpens, collect, discard:
		return true
	case record:
		return !isAwaited
	}
	return false
}

// carryOut does the next job, and returns the answer.
func (m *model) carryOut(f fate) event {
	isUnanswered := m.isUnanswered()
	j, _ := m.take(&m.jobs)
	m.begun = false
	if isUnanswered {
		m.carryOutUnanswered(j)
		return nil
	}
	if err := f.panics(j); err != nil {
		return crashed{err}
	}
	e := m.carry(f, j)
	if s, ok := e.(staged); ok {
		m.heard = max(m.heard, s.candidate.Number)
	}
	return e
}

func (m *model) carryOutUnanswered(j job) {
	switch j := j.(type) {
	case record:
		m.record(j)
	case unwatchOpens:
		m.watching = false
	case collect:
		if len(j.inUse) > 0 {
			m.former = made{}
		}
		m.keepOnly(func(g made) bool {
			return g.number > j.newest || slices.Contains(j.inUse, g.number) || g.number == m.former.number
		})
	case discard:
		m.keepOnly(func(g made) bool { return g.number != j.number || g.number == m.former.number })
	}
}
