package supervisor

import "confit/linker"

// While a phase takes long the linker peeks at the mounted configuration now, for the
// status. The change itself waits for the end of the phase.

// peekMeanwhile peeks at each rescan.
func (t *transition) peekMeanwhile() {
	switch {
	case !t.phase.takesLong():
		t.peekBy = noDeadline
	case t.peekBy.IsZero():
		t.peekBy = t.now.Add(t.config.Rescan)
	case t.over(t.peekBy) && !t.peeking:
		t.peeking, t.peekBy = true, t.now.Add(t.config.Rescan)
		t.assign(peek{linker.Known{Seen: t.peeked, Accepted: t.accepted.Number}, t.candidate.Number})
	}
}

func (t *transition) onPeeked(e peeked) {
	t.peeking = false
	if e.changed {
		t.looked, t.peeked = "", e.seen
	}
	if e.changed && t.phase.takesLong() {
		t.found(e.hash, e.changes)
		t.pending = true
	}
}
