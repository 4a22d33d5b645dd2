package app

import (
	"time"

	"confit/process"
	"confit/signals"
)

// Exit is an end of the app, with what can only be known at that moment.
type Exit struct {
	Status process.Status
	Forked bool // it ended well, and left a process behind
	// it was killed, and the kernel has lately killed a process of this container for want of
	// memory
	OOM       bool
	Typed     bool      // a key of its terminal ended it
	Successor Successor // with --adopt: what took its place, if anything did
}

// Successor is a process that the app has left, and that runs the same program.
type Successor struct {
	PID   int // 0: there is none
	Group process.Group
}

// Ending is what an exit of the app means, as far as the app's half can tell.
type Ending int

// The endings.
const (
	Own       Ending = iota
	InRestart        // confit asked for it
	InStop           // the platform asked for it, by confit
	Stopped          // somebody outside stopped the app
	LeftAtHUP        // HUP means something else to the app
	Replaced         // its successor goes on
)

// Suspicion is how far an app that ends may have died of what it has read.
type Suspicion int

// The suspicions.
const (
	None    Suspicion = iota
	InProof           // it was made to read something a moment ago
	OfNew             // the same, and that wasn't accepted before
	OfFirst           // the same, and nothing was
)

// Exited takes an exit. suspected says how far the app may have ended as it can't live with what it
// has read.
func (m *Move) Exited(e *Exit, suspected Suspicion) Ending {
	how := m.endingOf(e, suspected)
	keys := []any{"pid", m.PID, "status", e.Status.String(), "code", m.ExitCode(e.Status)}
	if e.OOM {
		keys = append(keys, "oomKilled", true)
	}
	if suspected == OfFirst && how == Own && e.Status.ExitCode() != 0 {
		m.Warn("app exited", append(keys, "todo", "see the app's log: no app has lived with this configuration yet")...)
	} else {
		m.Info("app exited", keys...)
	}
	if m.wentToBackground(e) {
		m.Warn("app went to the background: what it left there is ended",
			"todo", "start it in the foreground, as nginx -g 'daemon off;', or add --adopt")
	}
	m.LastExit = &Ended{m.Now, e.Status, m.ExitCode(e.Status), e.OOM}
	m.PID = 0
	if how == Replaced {
		m.adopt(e.Successor)
	} else {
		m.become(Down)
	}
	return how
}

func (m *Move) endingOf(e *Exit, suspected Suspicion) Ending {
	switch {
	case m.Phase == Stopping:
		return InStop
	case m.leftAtReload(e, suspected):
		return LeftAtHUP
	case e.Successor.PID != 0 && m.Phase != Restarting: // in a restart it would be one of the leftovers
		return Replaced
	case m.IsStop(e, m.Now):
		return Stopped
	case m.Phase == Restarting:
		return InRestart
	}
	return Own
}

// wentToBackground reports that the app ended well right after its start, and left a process
// behind, as daemon(3) does. That is the end of a container for which nobody finds a reason in the
// app's log.
func (m *Move) wentToBackground(e *Exit) bool {
	return e.Forked && e.Successor.PID == 0 && !m.IsStop(e, m.Now) && m.Phase != Stopping && m.Phase != Restarting &&
		!m.over(m.Since.Add(HandlerWait))
}

// ExitCode is what confit exits with when the app ended so.
func (m *Move) ExitCode(s process.Status) int {
	if code, mapped := m.MapExit[s.ExitCode()]; mapped {
		return code
	}
	return s.ExitCode()
}

// adopt goes on with the successor, in whatever phase. The signal that led to it was no stop.
func (m *Move) adopt(successor Successor) {
	m.PID, m.Group = successor.PID, successor.Group
	m.renewed, m.SignalErr, m.Text = m.Now, "", ""
	m.StopBy, m.maybeStop, m.Since = time.Time{}, maybeStop{}, m.Now
	m.Info("app adopted", "pid", m.PID, "generation", m.Generation)
}

// leftAtReload reports that the app left because of auto's HUP, and not because of what it read, or
// that it may have: a runtime that catches every signal dies of HUP; a JVM, or whoever has a
// handler that shuts down, exits with 129 or 0. Others have codes of their own for it, as runsvdir
// has. They count until the program has once lived on after such a HUP, and like 0 only in the
// probation. Who shuts down slowly and exits with 129 may take the time of any other stop.
func (m *Move) leftAtReload(e *Exit, suspected Suspicion) bool {
	code := e.Status.ExitCode()
	switch {
	case !m.AutoHUP || m.Phase == Restarting:
		return false
	case e.Status.Signal() == signals.HUP:
		return true
	case e.Successor.PID != 0 || m.IsStop(e, m.Now):
		return false
	case code == exitAtHUP:
		return suspected != None || !m.over(m.renewed.Add(m.StopTimeout))
	case code == 0:
		return suspected != None
	default:
		return suspected == OfNew && m.program != m.takesHUP && e.Status.Signal() != signals.KILL
	}
}

// exitAtHUP is the code of programs that shut down in good order at HUP, as the JVM does.
const exitAtHUP = 128 + int(signals.HUP)

// RestartFromNowOn notes that the app leaves at HUP.
func (m *Move) RestartFromNowOn() {
	if !m.RestartOnly {
		m.RestartOnly = true
		m.Warn("app is restarted from now on: it leaves at HUP",
			"todo", "write reload restart, or reload signal:NAME if another signal makes it reload")
	}
}
