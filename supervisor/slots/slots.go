// Package slots holds what a worker has to do, for somebody who may not wait for it.
//
// It guarantees that
//   - nothing piles up while the worker hangs: of each kind of job the latest is left;
//   - at most one job is awaited: a newer one takes its place, or its answer doesn't count if it
//     has begun;
//   - neither side waits to hand something over.
//
// It doesn't know what the jobs do.
package slots

// Kind is where a job waits. The worker empties the slots in this order.
type Kind int

// What stands beside a transaction comes before the job that one waits for: a record before what
// may kill confit, a note before what it names no more is removed.
const (
	none Kind = iota
	Discard
	Record
	Note
	Names
	User
	Unwatch
	Collect
	Repair
	Compare
	Links
	Transaction
	kinds
)

// Jobs are what is left to do. They are a value. The zero value is empty.
type Jobs[J any] struct {
	left    [kinds]J // a nil interface is no job
	awaited Kind     // which of them somebody waits for
}

// Order is a job, and where it waits.
type Order[J any] struct {
	Job     J
	Kind    Kind
	Awaited bool
}

// Put takes a job. If it is awaited it takes the place of what was awaited before. Else it is
// awaited only in the place of a job that is.
func (s *Jobs[J]) Put(o Order[J]) {
	if o.Awaited {
		var empty J
		s.left[Transaction] = empty
		s.awaited = o.Kind
	}
	s.left[o.Kind] = o.Job
}

// Next takes out the next job, nil if nothing is left.
func (s *Jobs[J]) Next() (j J, isAwaited bool) {
	for k := Discard; k < kinds; k++ {
		if any(s.left[k]) != nil {
			return s.Take(k)
		}
	}
	return j, false
}

// Take takes out the job of a kind, nil if there is none.
func (s *Jobs[J]) Take(k Kind) (j J, isAwaited bool) {
	j, s.left[k] = s.left[k], j
	isAwaited = s.awaited == k
	if isAwaited {
		s.awaited = none
	}
	return j, isAwaited
}
