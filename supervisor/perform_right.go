package supervisor

import (
	"time"

	"confit/linker"
)

// Some kubelets give the files of a volume to the pod's group after its swap, 30 ms to two seconds
// later: kubernetes#114461. The change of an owner is no swap, so nobody hears of it.
const (
	rightTime  = 2 * time.Second
	rightPause = 50 * time.Millisecond
)

// waitsForRight reports that an answer isn't step's yet: it says of new volumes that a key may not
// be read. A first start waits for nothing.
func (l *loop) waitsForRight(e event, now time.Time) bool {
	i, isInvalid := e.(invalid)
	s, isStage := l.right.job.(stage)
	switch r := &l.right; {
	case !isInvalid, !isStage, s.fallback, !linker.IsDenied(i.reason), i.seen == r.refused, l.state.neverStarted():
		return false
	case r.by.IsZero():
		r.by = now.Add(rightTime)
	case !now.Before(r.by):
		r.refused = i.seen
		return false
	}
	l.right.next = now.Add(rightPause)
	return true
}

// lookAgain has the volumes looked at once more, when that is due.
func (l *loop) lookAgain(now time.Time) {
	if r := &l.right; !r.next.IsZero() && !now.Before(r.next) {
		r.next = noDeadline
		l.worker.Put(orderOf(r.job))
	}
}
