package supervisor

import (
	"cmp"
	"maps"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// status is what status.json says, except for what only the linker knows.
func (s *state) status(c *config.Config) *status.Status {
	now := &status.Status{
		Phase: s.shown().String(), Degraded: s.degraded, Trouble: s.trouble, Stalled: status.At(s.stalled), App: s.seen.app,
		Mounted: s.seen.mounted, Live: s.seen.live, Accepted: s.seen.accepted, Candidate: s.seen.candidate,
		PendingSince: status.At(s.seen.pending), LinksChanged: status.At(s.seen.relinked), Rejection: s.lastRejection(),
		Gate: s.seen.gate, Report: s.seen.report, Counters: s.seen.count,
	}
	if now.Trouble == "" && s.seen.pending.IsZero() { // else it is what keeps the change from being applied
		now.Trouble = cmp.Or(s.drift, s.storeTrouble, s.app.beyond, s.unrun)
	}
	now.App.Reload = c.Reload.String()
	if s.app.restartOnly {
		now.App.Reload = "restart: it left at HUP"
	}
	return now
}

// lastRejection is the last one, with the time of the next try. There is none
// after a revert, nor when confit has ended.
func (s *state) lastRejection() *status.Rejection {
	if s.seen.rejection == nil || s.phase == done {
		return s.seen.rejection
	}
	r := *s.seen.rejection
	r.NextTry = status.At(s.rejection.nextTry)
	return &r
}

func (t *transition) stamp() status.Time { return status.At(t.now) }

func (t *transition) seenAs(g linker.Generation) *status.Generation {
	return &status.Generation{Number: g.Number, Hash: g.Hash.Hex(), Since: t.stamp(), Source: source(g)}
}

// seenAsAccepted is since when it is accepted, by whichever confit.
func (t *transition) seenAsAccepted(proof string) *status.Accepted {
	g := t.seenAs(t.accepted.Generation)
	if g.Since = ""; t.accepted.AcceptedAt != 0 {
		g.Since = status.At(time.Unix(t.accepted.AcceptedAt, 0))
	}
	return &status.Accepted{Generation: *g, Proof: proof}
}

// recordAccepted notes that what was accepted some time ago is accepted now.
func (t *transition) recordAccepted() {
	if t.hasAccepted() {
		t.seen.accepted = t.seenAsAccepted("stored")
	}
}

// recordMounted notes what a look at the volumes found: the hash of a candidate,
// or none when it can't be one, and what differs from the accepted generation.
func (t *transition) recordMounted(hash string, changes []linker.Change) {
	if !t.neverStarted() && !t.isRetry && !t.onFallback() {
		t.seen.count.Swaps++
	}
	t.recordMountedKeys(hash, changes)
}

// recordMountedKeys is for what was rendered meanwhile.
func (t *transition) recordMountedKeys(hash string, changes []linker.Change) {
	if !t.onFallback() {
		t.noteMounted(hash, changes)
	}
}

func (t *transition) noteMounted(hash string, changes []linker.Change) {
	before, now := t.seen.mounted, status.Mounted{Hash: hash, Since: t.stamp(), Keys: sums(changes)}
	switch {
	case before != nil && before.Hash == hash && maps.Equal(before.Keys, now.Keys):
		return
	case before != nil && before.Hash == hash && hash != "":
		now.Since = before.Since
	}
	t.seen.mounted = &now
}

// recordCandidate notes that one is on its way. What is tried again counts as
// rejected until it is accepted.
func (t *transition) recordCandidate() {
	t.seen.candidate = t.seenAs(t.candidate.Generation)
	if t.seen.pending.IsZero() && !t.isRetry && !t.onFallback() {
		t.seen.pending = t.now
	}
}

// recordTrouble notes that the linker couldn't read or copy what is mounted, so
// that a change may be waiting.
func (t *transition) recordTrouble() {
	if t.seen.pending.IsZero() && !t.rejection.stands {
		t.seen.pending = t.now
	}
}

// recordProof notes what proved the accepted generation. One that a former confit
// proved stays "stored".
func (t *transition) recordProof(proof string) {
	if a := t.seen.accepted; a == nil || a.Hash != t.accepted.Hash.Hex() || a.Source != source(t.accepted.Generation) {
		t.seen.accepted = t.seenAsAccepted(proof)
	}
}

// recordEnd notes that nothing is on its way any more.
func (t *transition) recordEnd() {
	t.seen.candidate, t.seen.pending = nil, time.Time{}
	if !t.onFallback() {
		t.trouble = ""
	}
}

// recordLive notes which generation the targets lead to.
func (t *transition) recordLive(g linker.Generation) {
	t.seen.live = nil
	if g.Number != 0 {
		t.seen.live = t.seenAs(g)
	}
}

func (t *transition) recordRejection(r *status.Rejection) {
	t.seen.rejection = r
	t.seen.count.Rejections++
	t.recordEnd()
}

// forgetRead notes that another process is the app, which nobody has asked yet to
// open anything.
func (t *transition) forgetRead() { t.seen.app.Read, t.readBy = nil, time.Time{} }

// recordRead notes whether the app has opened what changed, while that is watched.
func (t *transition) recordRead(read bool) {
	if !t.readBy.IsZero() {
		t.seen.app.Read, t.readBy, t.watched = &read, time.Time{}, false
		t.assign(unwatchOpens{})
	}
}
