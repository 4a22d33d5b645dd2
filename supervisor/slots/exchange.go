package slots

import "sync"

// Exchange hands jobs to a goroutine that works, and its answers back.
type Exchange[J, E any] struct {
	Answered chan struct{} // holds a value when there may be an answer

	mu      sync.Mutex
	asked   sync.Cond // signalled when there are jobs, or none will come
	jobs    Jobs[J]
	number  int // of the job that was awaited last; 0: none was
	answers []answer[E]
	closed  bool
}

type answer[E any] struct {
	number int
	event  E
}

// NewExchange returns an exchange without jobs.
func NewExchange[J, E any]() *Exchange[J, E] {
	x := &Exchange[J, E]{Answered: make(chan struct{}, 1)}
	x.asked.L = &x.mu
	return x
}

// wake lets the other side look for answers.
func (x *Exchange[J, E]) wake() {
	select {
	case x.Answered <- struct{}{}:
	default: // it is about to
	}
}

// Put hands over jobs, all at once: the worker begins none before it knows them all.
func (x *Exchange[J, E]) Put(orders ...Order[J]) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range orders {
		if o.Awaited {
			x.number++
		}
		x.jobs.Put(o)
	}
	x.asked.Signal()
}

// Next waits for a job, and returns it with the number of its answer; 0: it isn't awaited. The job
// is nil when nothing is left after Close.
func (x *Exchange[J, E]) Next() (j J, number int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	j, isAwaited := x.jobs.Next()
	for any(j) == nil && !x.closed {
		x.asked.Wait()
		j, isAwaited = x.jobs.Next()
	}
	if isAwaited {
		number = x.number
	}
	return j, number
}

// Answer hands back what came of a job.
func (x *Exchange[J, E]) Answer(number int, e E) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers = append(x.answers, answer[E]{number, e})
	x.wake()
}

// Take returns an answer, and whether it counts: nobody waits any more for that of a job that was
// replaced. It is nil if there is none.
func (x *Exchange[J, E]) Take() (e E, counts bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.answers) == 0 {
		return e, false
	}
	a := x.answers[0]
	x.answers = x.answers[1:]
	if len(x.answers) > 0 {
		x.wake()
	}
	return a.event, a.number == 0 || a.number == x.number
}

// Close lets Next end once all is done.
func (x *Exchange[J, E]) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	x.asked.Signal()
}
