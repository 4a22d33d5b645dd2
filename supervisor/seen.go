package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// record is what can be seen of the past. It is comparable, so that nothing is
// written while nothing changes: what a pointer leads to is never changed.
type record struct {
	app       status.App
	mounted   *status.Mounted
	live      *status.Generation
	accepted  *status.Accepted
	candidate *status.Generation
	pending   time.Time // since when a change is on its way
	rejection *status.Rejection
	count     status.Counters
}

// status is what status.json says, but for what only the linker knows.
func (s *state) status(c *config.Config) *status.Status {
	told := &status.Status{
		Phase: s.phase.String(), Degraded: s.degraded, Trouble: s.trouble, App: s.seen.app,
		Mounted: s.seen.mounted, Live: s.seen.live, Accepted: s.seen.accepted, Candidate: s.seen.candidate,
		PendingSince: status.At(s.seen.pending), Rejection: s.rejection(), Counters: s.seen.count,
	}
	told.App.Reload = c.Reload.String()
	if s.deaf {
		told.App.Reload = "restart: it died of HUP"
	}
	return told
}

// rejection is the last one. When it is tried again is another matter: after a
// revert it isn't, nor once confit has left.
func (s *state) rejection() *status.Rejection {
	if s.seen.rejection == nil || s.phase == done {
		return s.seen.rejection
	}
	r := *s.seen.rejection
	r.NextTry = status.At(s.retry.at)
	return &r
}

func (t *turn) stamp() status.Time { return status.At(t.now) }

func (t *turn) seenAs(g linker.Generation) *status.Generation {
	return &status.Generation{Number: g.Number, Hash: g.Hash.Hex(), Since: t.stamp()}
}

// sawAccepted notes what a former confit accepted.
func (t *turn) sawAccepted() {
	if t.live.Number != 0 {
		t.seen.accepted = &status.Accepted{Generation: *t.seenAs(t.live), Proof: "stored"}
	}
}

// sawMounted notes what a look at the volumes found: the hash of a candidate, or
// none when it can't be one.
func (t *turn) sawMounted(hash string) {
	if !t.first() && !t.retry.again {
		t.seen.count.Swaps++
	}
	if t.seen.mounted == nil || t.seen.mounted.Hash != hash {
		t.seen.mounted = &status.Mounted{Hash: hash, Since: t.stamp()}
	}
}

// sawCandidate notes that one is on its way. A try of what was rejected stays
// rejected until it is accepted.
func (t *turn) sawCandidate() {
	t.seen.candidate = t.seenAs(t.candidate.Generation)
	if t.seen.pending.IsZero() && !t.retry.again {
		t.seen.pending = t.now
	}
}

// sawTrouble notes that what is mounted couldn't be looked at or copied, so that
// a change may be waiting.
func (t *turn) sawTrouble() {
	if t.seen.pending.IsZero() && !t.refused {
		t.seen.pending = t.now
	}
}

// sawProof notes what proved the accepted generation; one that was stored
// stays so.
func (t *turn) sawProof(proof string) {
	if a := t.seen.accepted; a == nil || a.Hash != t.live.Hash.Hex() {
		t.seen.accepted = &status.Accepted{Generation: *t.seenAs(t.live), Proof: proof}
	}
}

// sawEnd notes that nothing is on its way any more.
func (t *turn) sawEnd() { t.seen.candidate, t.seen.pending = nil, time.Time{} }

// sawLive notes what the targets resolve to.
func (t *turn) sawLive(g linker.Generation) {
	t.seen.live = nil
	if g.Number != 0 {
		t.seen.live = t.seenAs(g)
	}
}

func (t *turn) sawRejection(step string, reason error, tail string, again bool) {
	r := status.Rejection{At: t.stamp(), Step: step, Reason: reason.Error(), Output: tail, Attempts: 1}
	if t.candidate.Number != 0 {
		r.Hash = t.candidate.Hash.Hex()
	}
	if again && t.seen.rejection != nil {
		r.Attempts = t.seen.rejection.Attempts + 1
	}
	t.seen.rejection = &r
	t.seen.count.Rejections++
	t.sawEnd()
}

func (t *turn) sawStart(again bool) {
	if again {
		t.seen.app.Restarts++
		t.seen.count.Reloads++
	}
	t.seen.app.PID, t.seen.app.Started, t.seen.app.Text = t.app.pid, t.stamp(), ""
}

func (t *turn) sawExit(e exited) {
	t.seen.app.PID = 0
	t.seen.app.LastExit = &status.Exit{At: t.stamp(), Status: e.status.String(), Code: t.exitCode(e.status), OOMKilled: e.oom}
}
