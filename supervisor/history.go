package supervisor

import (
	"maps"
	"time"

	"confit/linker"
	"confit/status"
)

func (t *transition) stamp() status.Time { return status.At(t.now) }

// sinceNow is a generation as the status shows it from this moment on; nil: there is none.
func (t *transition) sinceNow(g linker.Generation) *status.Generation {
	if g.Number == 0 {
		return nil
	}
	return &status.Generation{Number: g.Number, Hash: g.Hash.Hex(), Source: source(g), Since: t.stamp()}
}

// found notes what a look at the volumes found: the hashes of a candidate, or none when
// there can't be one, and what differs from the accepted generation.
func (t *transition) found(hash, shared string, changes []linker.Change) {
	if t.phase == staging && !t.neverStarted() && !t.isRetry {
		t.count.Swaps++
	}
	was, now := t.mounted, status.Mounted{Hash: hash, Shared: shared, Since: t.stamp(), Keys: sums(changes)}
	switch {
	case was != nil && was.Hash == hash && maps.Equal(was.Keys, now.Keys):
		return
	case was != nil && was.Hash == hash && hash != "":
		now.Since = was.Since
	}
	t.mounted = &now
}

// changeWaits notes that a change may be waiting which the linker couldn't read or copy.
func (t *transition) changeWaits() {
	if t.undecided.IsZero() && !t.rejection.stands {
		t.undecided = t.now
	}
}

// decided notes that nothing is on its way any more.
func (t *transition) decided() {
	t.tried, t.undecided, t.complaints[applying] = nil, time.Time{}, ""
}

// noteRejection notes that what was on its way is rejected.
func (t *transition) noteRejection(r *status.Rejection) {
	t.lastRejection = r
	t.count.Rejections++
	t.decided()
}

// noteRead notes whether the app has opened what changed, while that is watched.
func (t *transition) noteRead(read bool) {
	if !t.readBy.IsZero() {
		t.hasRead, t.readBy, t.watched = &read, time.Time{}, false
		t.assign(unwatchOpens{})
	}
}

// forgetRead notes that another process is the app, which nobody has asked yet to
// open anything.
func (t *transition) forgetRead() { t.hasRead, t.readBy = nil, time.Time{} }
