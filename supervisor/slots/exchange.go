package slots

import "sync"

// Exchange hands jobs to a goroutine that works, and its answers back.
type Exchange[J, E any] struct {
	Answered chan struct{} // holds a value when there may be an answer
	asked    chan struct{} // the same of jobs

	mu      sync.Mutex
	jobs    Jobs[J]
	number  int // of the job that was awaited last; 0: none was
	answers []answer[E]
	closed  bool
}

type answer[E any] struct {
	number int
	event  E
}

// Order is a job and where it waits, as [Jobs.Put] takes them.
type Order[J any] struct {
	Job     J
	Kind    Kind
	Awaited bool
}

// NewExchange returns an exchange without jobs.
func NewExchange[J, E any]() *Exchange[J, E] {
	return &Exchange[J, E]{Answered: make(chan struct{}, 1), asked: make(chan struct{}, 1)}
}

// wake lets the other side look.
func wake(side chan<- struct{}) {
	select {
	case side <- struct{}{}:
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
		x.jobs.Put(o.Job, o.Kind, o.Awaited)
	}
	if len(orders) > 0 {
		wake(x.asked)
	}
}

// Next waits for a job, and returns it with the number of its answer; 0: it isn't awaited. The job is nil when nothing is left after Close.
func (x *Exchange[J, E]) Next() (j J, number int) {
	for {
		j, number, closed := x.poll()
		if closed || any(j) != nil {
			return j, number
		}
		<-x.asked
	}
}

func (x *Exchange[J, E]) poll() (j J, number int, closed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	j, isAwaited := x.jobs.Next()
	if isAwaited {
		number = x.number
	}
	return j, number, x.closed
}

// Answer hands back what came of a job.
func (x *Exchange[J, E]) Answer(number int, e E) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers = append(x.answers, answer[E]{number, e})
	wake(x.Answered)
}

// Take returns an answer, and whether it counts: nobody waits any more for that of a job that was replaced. It is nil if there is none.
func (x *Exchange[J, E]) Take() (e E, counts bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.answers) == 0 {
		return e, false
	}
	a := x.answers[0]
	x.answers = x.answers[1:]
	if len(x.answers) > 0 {
		wake(x.Answered)
	}
	return a.event, a.number == 0 || a.number == x.number
}

// Close lets Next end once all is done.
func (x *Exchange[J, E]) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	wake(x.asked)
}
