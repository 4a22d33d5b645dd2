package app

import "time"

// What confit starts is often a script that works before it executes the daemon. Until then the app
// is at its entrypoint, and the work would be cut off by whoever ends it.

const (
	// EntryLeast is the least time that the app has at its entrypoint, where it is known to begin
	// sooner.
	EntryLeast = 10 * time.Second
	// ScriptWait is how long a script that executes nothing is left alone, since it was seen first:
	// nobody can know when its work is done.
	ScriptWait = 5 * time.Minute
)

// Works says since and until when nobody should end what the app does; zero: it may be ended. A
// script that executes nothing has begun, and may yet be at some work in its first minutes.
func (a *App) Works() (since, until time.Time) {
	e := &a.Entry
	switch {
	case !a.Runs():
	case e.Begun.IsZero():
		return a.Since, e.By
	case e.Script.isKnown() && !e.waited:
		return e.first, e.first.Add(ScriptWait)
	}
	return since, until
}

// IsAtWork reports that a look has found what works in front of the app, or a script that stays.
// Before the second look any app may be on its way to that.
func (a *App) IsAtWork() bool {
	since, _ := a.Works()
	return !since.IsZero() && (a.Entry.Works || !a.Entry.Begun.IsZero())
}

// WorksUntil is when nobody waits for the app's work any more; zero: nobody does.
func (a *App) WorksUntil() time.Time {
	_, until := a.Works()
	return until
}

// Saw takes what a look has found. An app that has begun is at its entrypoint again where a script
// works there: what was seen may have been on its way to that.
func (m *Move) Saw(s Sight) {
	e := &m.Entry
	e.Sight = s
	isScript := s.Script.isKnown()
	if isScript && s.Script != e.script {
		e.script, e.first, e.waited = s.Script, m.Now, false
	}
	switch {
	case !s.Works && !isScript:
		e.waited = false // it has executed the daemon: the next time its script may work again
	case !s.Works:
		e.waited = m.over(e.first.Add(ScriptWait))
	case !e.waited && !e.Begun.IsZero():
		e.Begun = time.Time{}
		if by := m.Now.Add(EntryLeast); by.After(e.By) {
			e.By = by
		}
	case e.waited && isScript && m.IsAtEntrypoint(): // it has outlasted its time in an earlier life
		m.Begin(m.Now)
	}
}

// Begin notes that the app has begun at a time: its clocks count from then on. What another process
// has said before is forgotten, as it was of a temporary server.
func (m *Move) Begin(at time.Time) {
	e := &m.Entry
	e.Begun, m.renewed = at, at
	if e.Works { // it was seen last when it did, and says itself that it has begun
		e.Sight = Sight{Program: e.Program}
	}
	speaks := !e.spoke.IsZero()
	if speaks && e.spoke.Before(at) {
		m.ready, m.SaysReady = begun, e.former
	}
	e.spoke = time.Time{}
	by := m.Now.Add(HandlerWait)
	switch {
	case !speaks || !m.waits():
		m.handOver()
	case by.Before(m.Deadline): // some are deaf after a stop in their first moments, as mariadb is
		m.Deadline = by
	}
}

// Outlast notes that the time of what works is over: nobody waits for this script again, and the
// app counts as begun.
func (m *Move) Outlast() {
	m.Entry.waited = true
	if m.IsAtEntrypoint() {
		m.Begin(m.Now)
	}
}
