package signals

import (
	"os"
	"slices"
	"sync"
)

// queue holds the signals that wait for the loop, in the order in which they came in,
// each once: as with the kernel, one that waits already is the same. So none is
// crowded out, and a flood of one delays no other.
type queue struct {
	mutex   sync.Mutex
	waiting []Signal
	hints   chan struct{}
}

// put adds a signal.
func (q *queue) put(sig os.Signal) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if s := sig.(Signal); !slices.Contains(q.waiting, s) {
		q.waiting = append(q.waiting, s)
	}
	wake(q.hints)
}

// take takes the next signal out, and hints at those behind it. It returns false when
// none waits.
func (q *queue) take() (sig Signal, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.waiting) == 0 {
		return 0, false
	}
	sig = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	if len(q.waiting) > 0 {
		wake(q.hints)
	}
	return sig, true
}

// wake leaves a value. If one waits already, that is enough.
func wake(hints chan<- struct{}) {
	select {
	case hints <- struct{}{}:
	default:
	}
}
