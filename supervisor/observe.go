package supervisor

import (
	"cmp"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// observe says what status.json shows after an event, except for what only the linker knows. It is
// the one place that does, and only reads the state. The state before has what was shown.
func observe(c *config.Config, before, after *state) *status.Status {
	count := after.count
	count.Reloads = after.app.Reloads
	return &status.Status{
		Phase:        after.shown().String(),
		Degraded:     after.degraded,
		Trouble:      after.trouble(),
		Stalled:      status.At(after.stalled),
		Damaged:      after.damaged,
		LinksChanged: status.At(after.relinked),
		App:          after.shownApp(c),
		Mounted:      after.mounted,
		Live:         after.live,
		Accepted:     after.shownAccepted(c, before),
		GoneDown:     after.shownDown(),
		Unwell:       after.ails(),
		Candidate:    after.tried,
		PendingSince: status.At(after.undecided),
		Rejection:    after.shownRejection(),
		Gate:         after.shownGate(),
		Report:       after.lastReport,
		Counters:     count,
	}
}

// trouble is what keeps the change from being applied. Without a change it is what else confit
// tries again.
func (s *state) trouble() string {
	if s.complaints[applying] == "" && s.undecided.IsZero() {
		return cmp.Or(s.complaints[relinking], s.complaints[noting], s.app.SignalErr, s.complaints[rerendering])
	}
	return s.complaints[applying]
}

func (s *state) shownApp(c *config.Config) status.App {
	now := &s.app
	a := status.App{PID: now.PID, Started: status.At(now.Since), Restarts: now.Restarts, Reload: c.Reload.String(),
		Read: s.hasRead, Text: now.Text}
	if now.RestartOnly {
		a.Reload = "restart: it left at HUP"
	}
	if since, until := now.Works(); now.IsAtWork() {
		a.Entrypoint = &status.Entrypoint{Program: now.Entry.Program, Since: status.At(since), Until: status.At(until)}
	}
	if last := now.LastExit; last != nil {
		a.LastExit = &status.Exit{At: status.At(last.At), Status: last.Status.String(), Code: last.Code,
			OOMKilled: last.OOM}
	}
	return a
}

// shownAccepted is the accepted generation, since when it is that by whichever confit, and what
// proved it. One that isn't proved isn't shown.
func (s *state) shownAccepted(c *config.Config, before *state) *status.Accepted {
	shown, was, is := before.seen.Accepted, before.accepted(), s.accepted()
	if s.isUnproved() || is.Number == 0 {
		return shown
	}
	now := status.Accepted{Generation: shownOf(is), Proof: cmp.Or(s.pendingProof, alreadyStored), Soaked: is.Soaked ||
		c.SoakFor() == 0, SoaksAt: status.At(s.soaks)}
	// or it is just the fallback that is mounted
	if shown != nil && is.Hash == was.Hash && (is.Fallback == was.Fallback || now.Proof == alreadyStored) {
		now.Proof = shown.Proof
	}
	return &now
}

// shownDown is why the app isn't on the top.
func (s *state) shownDown() *status.GoneDown {
	if !s.ladder.IsDown() {
		return nil
	}
	return &status.GoneDown{From: shownOf(s.ladder.Top()), Reason: s.ladder.DownReason(), SoaksAt: status.At(s.soaks)}
}

// shownOf is an accepted generation as the status shows it.
func shownOf(r *linker.Rung) status.Generation {
	g := status.Generation{Number: r.Number, Hash: r.Hash.Hex(), Source: source(r.Generation)}
	if r.AcceptedAt != 0 {
		g.Since = status.At(time.Unix(r.AcceptedAt, 0))
	}
	return g
}

// shownRejection is the last one, with the time of the next try. There is none after a revert, nor
// when confit has ended.
func (s *state) shownRejection() *status.Rejection {
	if s.told == nil {
		return nil
	}
	r := s.told.Rejection
	if s.phase != done {
		r.NextTry = status.At(s.rejected.TryBy())
	}
	return &r
}

func (s *state) shownGate() *status.Gate {
	if s.phase != gating {
		return nil
	}
	g := status.Gate{Hash: s.candidate.Shared.Hex(), Since: status.At(s.gated)}
	if r := s.outcomes.Undelivered(); r != nil && !s.hook {
		g.Waits = r.Kind + " of " + r.Hash[:min(len(r.Hash), shortHash)]
	}
	return &g
}
