package supervisor

import (
	"cmp"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// observe says what status.json shows after an event, except for what only the linker
// knows. It is the one place that does, and only reads the state.
func observe(c *config.Config, before, after *state) *status.Status {
	o, count := observation{c, before, after}, after.count
	count.Reloads = after.app.Reloads
	return &status.Status{
		Phase:        after.shown().String(),
		Degraded:     after.degraded,
		Trouble:      o.trouble(),
		Stalled:      status.At(after.stalled),
		Damaged:      after.damaged,
		LinksChanged: status.At(after.relinked),
		App:          o.app(),
		Mounted:      after.mounted,
		Live:         after.live,
		Accepted:     o.accepted(),
		GoneDown:     o.goneDown(),
		Unwell:       after.unwell,
		Candidate:    after.tried,
		PendingSince: status.At(after.undecided),
		Rejection:    o.rejection(),
		Gate:         o.gate(),
		Report:       after.lastReport,
		Counters:     count,
	}
}

// observation is one event. The state before it has what the status showed.
type observation struct {
	config        *config.Config
	before, after *state
}

// trouble is what keeps the change from being applied. Without a change it is what else
// confit tries again.
func (o *observation) trouble() string {
	if s := o.after; s.complaints[applying] == "" && s.undecided.IsZero() {
		return cmp.Or(s.complaints[relinking], s.complaints[noting], s.app.SignalErr, s.complaints[rerendering])
	}
	return o.after.complaints[applying]
}

func (o *observation) app() status.App {
	now := &o.after.app
	a := status.App{PID: now.PID, Started: status.At(now.Since), Restarts: now.Restarts, Reload: o.config.Reload.String(), Read: o.after.hasRead, Text: now.Text}
	if now.RestartOnly {
		a.Reload = "restart: it left at HUP"
	}
	if last := now.LastExit; last != nil {
		a.LastExit = orSeen(o.before.seen.App.LastExit, status.Exit{At: status.At(last.At), Status: last.Status.String(), Code: last.Code, OOMKilled: last.OOM})
	}
	return a
}

// accepted is the accepted generation, since when it is that by whichever confit, and what
// proved it. One that isn't proved isn't shown.
func (o *observation) accepted() *status.Accepted {
	shown, before, after := o.before.seen.Accepted, o.before.accepted(), o.after.accepted()
	if o.after.unproved != nil || after.Number == 0 {
		return shown
	}
	now := status.Accepted{Generation: shownOf(after), Proof: cmp.Or(o.after.pendingProof, alreadyStored), Soaked: after.Soaked || o.config.SoakFor() == 0, SoaksAt: status.At(o.after.ladder.SoaksAt)}
	if shown != nil && after.Hash == before.Hash && (after.Fallback == before.Fallback || now.Proof == alreadyStored) { // or it is just the fallback that is mounted
		now.Proof = shown.Proof
	}
	return orSeen(shown, now)
}

// orSeen is what the status has shown, if that is still so: another one would be news.
func orSeen[T comparable](seen *T, now T) *T {
	if seen != nil && *seen == now {
		return seen
	}
	return &now
}

// goneDown is why the app isn't on the top.
func (o *observation) goneDown() *status.GoneDown {
	s := o.after
	if !s.isDown() {
		return nil
	}
	return orSeen(o.before.seen.GoneDown, status.GoneDown{From: shownOf(s.ladder.Top()), Reason: s.ladder.DownReason(), SoaksAt: status.At(s.ladder.SoaksAt)})
}

// shownOf is an accepted generation as the status shows it.
func shownOf(r *linker.Rung) status.Generation {
	g := status.Generation{Number: r.Number, Hash: r.Hash.Hex(), Source: source(r.Generation)}
	if r.AcceptedAt != 0 {
		g.Since = status.At(time.Unix(r.AcceptedAt, 0))
	}
	return g
}

// rejection is the last one, with the time of the next try. There is none after a revert,
// nor when confit has ended.
func (o *observation) rejection() *status.Rejection {
	before, after := o.before, o.after
	switch {
	case after.lastRejection == nil || after.phase == done:
		return after.lastRejection
	case after.lastRejection == before.lastRejection && after.rejection.nextTry.Equal(before.rejection.nextTry):
		return before.seen.Rejection
	}
	r := *after.lastRejection
	r.NextTry = status.At(after.rejection.nextTry)
	return &r
}

func (o *observation) gate() *status.Gate {
	if o.after.phase != gating {
		return nil
	}
	g := status.Gate{Hash: o.after.candidate.Shared.Hex(), Since: status.At(o.after.gate.since)}
	if r := o.after.outcomes.HoldsUp(); r != nil && !o.after.gate.asked {
		g.Waits = r.Kind + " of " + r.Hash[:min(len(r.Hash), shortHash)]
	}
	return orSeen(o.before.seen.Gate, g)
}
