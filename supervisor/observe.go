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
	o := observation{c, before, after}
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
		Counters:     after.count,
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
	if s := o.after; s.trouble == "" && s.undecided.IsZero() {
		return cmp.Or(s.drift, s.note.trouble, s.app.beyond, s.unrun)
	}
	return o.after.trouble
}

func (o *observation) app() status.App {
	app, past := &o.after.app, &o.after.past
	a := status.App{PID: app.pid, Started: status.At(past.appSince), Restarts: past.restarts, Reload: o.config.Reload.String(),
		Read: past.hasRead, Text: app.text, LastExit: past.lastExit}
	if app.restartOnly {
		a.Reload = "restart: it left at HUP"
	}
	return a
}

// accepted is the accepted generation, since when it is that by whichever confit, and what
// proved it. One that isn't proved isn't shown.
func (o *observation) accepted() *status.Accepted {
	shown, before, after := o.before.seen.Accepted, o.before.accepted(), o.after.accepted()
	isSame := shown != nil && after.Hash == before.Hash
	if o.after.unproved != nil || after.Number == 0 || isSame && after.Fallback == before.Fallback {
		return shown
	}
	proof := cmp.Or(o.after.unsaid, alreadyStored)
	if isSame && proof == alreadyStored { // the mounted configuration is just the fallback
		proof = shown.Proof
	}
	return &status.Accepted{Generation: shownOf(after), Proof: proof}
}

// goneDown is why the app isn't on the top.
func (o *observation) goneDown() *status.GoneDown {
	s := o.after
	if !s.isDown() {
		return nil
	}
	top := s.ladder.Top()
	g := status.GoneDown{From: shownOf(top), Reason: s.downReason(), SoaksAt: status.At(s.soaksAt)}
	if seen := o.before.seen.GoneDown; seen != nil && g == *seen {
		return seen
	}
	return &g
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
	if seen := o.before.seen.Gate; seen != nil && g == *seen {
		return seen
	}
	return &g
}
