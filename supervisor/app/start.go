package app

import (
	"log/slog"
	"time"

	"confit/notify"
	"confit/process"
)

func (m *Move) over(by time.Time) bool { return !m.Now.Before(by) }

func (m *Move) enter(p Phase, wait time.Duration) { m.Phase, m.Deadline = p, m.Now.Add(wait) }

// become enters a phase that lasts until something happens.
func (m *Move) become(p Phase) { m.Phase, m.Deadline = p, time.Time{} }

// Late does what is due at the deadline, if that is over. It reports whether nothing of the app is left since then.
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
	case Draining:
		m.killLeftovers()
	}
	return m.Phase == Down
}

// Start starts the app where nothing is left of another. A start that the system refuses is tried again.
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
	m.become(Up)
	m.Say(slog.LevelInfo, "app started", "pid", pid, "generation", m.Generation, "hash", m.Hash)
	for _, s := range m.Queued {
		m.forward(s)
	}
	m.Queued = nil
}

// Rest ends a phase: an app that runs goes on as it is, and where none runs, it is down.
func (m *Move) Rest() {
	if m.Runs() {
		m.become(Up)
	} else {
		m.become(Down)
	}
}

// readiness is how far an app that speaks sd_notify(3) has come. RELOADING=1 comes before READY=1 in a reload: so a late READY=1 of the
// start isn't taken for the reload's.
type readiness int

const (
	nothing readiness = iota
	begun             // it starts or reloads, and may say READY=1 next
	ready
)

// Heard takes what the app says of itself by sd_notify(3).
func (m *Move) Heard(said notify.Message) {
	if said.HasStatus {
		m.Text = said.Status
	}
	switch {
	case said.State == notify.Reloading:
		m.ready = begun
	case said.State == notify.Ready && m.ready == begun:
		m.ready, m.SaysReady = ready, true
	}
}

// ForgetReady forgets what the app has said of its readiness: a reload begins.
func (m *Move) ForgetReady() { m.ready = nothing }

// IsReady reports that the app has said READY=1 since it was started or began to reload.
func (a *App) IsReady() bool { return a.ready == ready }

// MayBeReady reports that the app starts or reloads, and may say READY=1 next.
func (a *App) MayBeReady() bool { return a.ready == begun }
