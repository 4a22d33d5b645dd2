package app

import (
	"time"

	"confit/notify"
	"confit/process"
)

func (m *Move) over(by time.Time) bool { return !m.Now.Before(by) }

func (m *Move) enter(p Phase, wait time.Duration) { m.Phase, m.Deadline = p, m.Now.Add(wait) }

// become enters a phase that lasts until something happens.
func (m *Move) become(p Phase) { m.Phase, m.Deadline = p, time.Time{} }

// Late does what is due at the deadline, if that is over. It reports whether nothing of the app is
// left since then.
func (m *Move) Late() (isGone bool) {
	if m.Deadline.IsZero() || !m.over(m.Deadline) {
		return false
	}
	switch m.Phase {
	case Starting:
		m.Start()
	case Probing:
		m.lookForHandler()
	case Restarting:
		m.kill()
	case Stopping:
		m.hurry()
	case Draining:
		m.killLeftovers()
	}
	return m.Phase == Down
}

// Start starts the app where nothing is left of another. A start that the system refuses is tried
// again.
func (m *Move) Start() {
	m.enter(Starting, TryAgain)
	m.Do(Spawn{})
}

// Started notes that the app runs, and hands on the signals that waited for it.
func (m *Move) Started(pid int) {
	if !m.NeverStarted() {
		m.Restarts++
		m.Reloads++
	}
	m.life = life{PID: pid, Group: process.Group(pid), renewed: m.Now, ready: begun}
	m.Since = m.Now
	m.enterEntrypoint()
	m.become(Up)
	m.Info("app started", "pid", pid, "generation", m.Generation, "hash", m.Hash)
	m.queue()
}

// enterEntrypoint begins a life. What the app said of its readiness before is kept, until it
// begins.
func (m *Move) enterEntrypoint() {
	e := &m.Entry
	e.Begun, e.By, e.Sight = time.Time{}, m.Now.Add(m.EntryTime), Sight{}
	e.spoke, e.former = time.Time{}, m.SaysReady
	if m.EntryTime == 0 {
		e.Begun = m.Now
		return
	}
	m.Do(Look{m.PID})
}

// Rest ends a phase: an app that runs goes on as it is, and where none runs, it is down.
func (m *Move) Rest() {
	if m.Runs() {
		m.become(Up)
	} else {
		m.become(Down)
	}
}

// Heard takes what the app says of itself by sd_notify(3), or another process of it does.
func (m *Move) Heard(said notify.Message, itself bool) {
	if said.HasStatus {
		m.Text = said.Status
	}
	switch {
	case said.State == notify.Reloading:
		m.ready = begun
	case said.State == notify.Ready && m.ready == begun:
		m.ready, m.SaysReady = ready, true
		if !itself && m.IsAtEntrypoint() {
			m.Entry.spoke = m.Now
		}
		if m.waits() && !m.IsAtEntrypoint() {
			m.handOver()
		}
	}
}

// ForgetReady forgets what the app has said of its readiness: a reload begins.
func (m *Move) ForgetReady() { m.ready = nothing }

// IsReady reports that the app has said READY=1 since it was started or began to reload.
func (a *App) IsReady() bool { return a.ready == ready }

// MayBeReady reports that the app starts or reloads, and may say READY=1 next.
func (a *App) MayBeReady() bool { return a.ready == begun }
