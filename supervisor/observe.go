package supervisor

import (
	"cmp"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// observe says what status.json shows of a state, except for what only the linker knows. It is the one
// place that does.
func observe(c *config.Config, s *state) status.Status {
	count := s.count
	count.Reloads = s.app.Reloads
	return status.Status{
		Phase:        s.shown().String(),
		Degraded:     s.degraded,
		Trouble:      s.trouble(),
		Stalled:      status.At(s.stalled),
		Damaged:      s.damaged,
		LinksChanged: status.At(s.relinked),
		App:          s.shownApp(c),
		Mounted:      s.mounted,
		Live:         s.live,
		Accepted:     s.shownAccepted(c),
		GoneDown:     s.shownDown(),
		Unwell:       s.ails(),
		Candidate:    s.tried,
		PendingSince: status.At(s.undecided),
		Rejection:    s.shownRejection(),
		Gate:         s.shownGate(),
		Report:       s.lastReport,
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
	if now.IsAtWork() {
		since, until := now.Works()
		a.Entrypoint = &status.Entrypoint{Program: now.Entry.Program, Since: status.At(since), Until: status.At(until)}
	}
	if last := now.LastExit; last != nil {
		a.LastExit = &status.Exit{At: status.At(last.At), Status: last.Status.String(), Code: last.Code,
			OOMKilled: last.OOM}
	}
	return a
}

// shownAccepted is the accepted generation, since when it is that by whichever confit, and what
// proved it.
func (s *state) shownAccepted(c *config.Config) *status.Accepted {
	is := s.proven
	if is == nil {
		return nil
	}
	return &status.Accepted{Generation: shownOf(&is.Rung), Proof: is.by, Soaked: is.Soaked || c.SoakFor() == 0,
		SoaksAt: status.At(s.soaks)}
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
