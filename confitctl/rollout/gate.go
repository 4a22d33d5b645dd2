package rollout

import (
	"fmt"
	"time"
)

// Verdict is whether a replica may go on.
type Verdict int

// The verdicts of a gate.
const (
	Wait   Verdict = iota // ask again later
	Go                    // go on, once the record is stored
	Refuse                // not with this hash
)

// Answer is a verdict and, unless it is Go, why.
type Answer struct {
	Verdict Verdict
	Reason  string
}

// Policy is what the fleet's owner chose.
type Policy struct {
	Canaries int // at least 1
	Parallel Parallel
}

// Gate answers a replica that wants to go on with me.Hash. The observer is what
// this replica has seen, this record included, and now is the time of its own
// monotonic clock. The answer holds only once the record is stored.
func (r Record) Gate(me Replica, p Policy, o Observer, now time.Duration) (Answer, Record) {
	if me.Hash == me.Accepted {
		return Answer{Verdict: Go}, r
	}
	next := r.sweep(o, now)
	if next.mixedUp(me) {
		return refuseMixedUp(me), r
	}
	answer := next.decide(me, p, o, now)
	if err := next.fits(MaxSize - verdictRoom); err != nil && !next.Same(r) {
		return Answer{Wait, err.Error()}, r
	}
	return answer, next
}

// decide changes r to what it is with its answer.
func (r *Record) decide(me Replica, p Policy, o Observer, now time.Duration) Answer {
	v := r.revision(me.Revision)
	held := v.endHold(me) // whatever comes next: a replica has one hold at most
	switch {
	case v.Rejection(me.Hash) != nil:
		return refuse(v.Rejection(me.Hash))
	case held == me.Hash:
		return r.hold(v, me, p) // it was interrupted, and takes its hold over
	case me.Starting && (v.Stable == "" || v.Stable == me.Hash):
		return Answer{Verdict: Go}
	case r.Paused:
		return wait("the roll-out is paused")
	case v.inFlight() > 0 && v.Trial.Hash != me.Hash:
		return wait("%s is tried first", Short(v.Trial.Hash))
	}
	if reason := v.full(me.Hash, p.Parallel, o, now); reason != "" {
		return wait("%s", reason)
	}
	return r.hold(v, me, p)
}

// full says why no other replica may hold a hash now; "" if one may. It says the
// same as long as nothing else happens, so that who waits can be silent.
func (v *Revision) full(hash string, p Parallel, o Observer, now time.Duration) string {
	if v.Trial == nil || v.Trial.Hash != hash {
		return "" // the first of a trial
	}
	t := v.Trial
	if !v.unproved(hash) {
		if len(t.Holds) >= p.allowed(t.Accepted) {
			return "as many replicas are in flight as may be"
		}
		return ""
	}
	if len(t.Holds) > 0 {
		return "a canary is on its way"
	}
	if o.age(v.lossMark(), now) < t.delay() {
		return fmt.Sprintf("a canary was lost; the next waits for %s", t.delay())
	}
	return ""
}

// hold gives me a hold, in a trial that is new unless its hash is tried already.
func (r *Record) hold(v *Revision, me Replica, p Policy) Answer {
	if !r.use(v) {
		return wait("the roll-outs of %d other revisions have replicas in flight", maxRevisions)
	}
	if v.Trial == nil || v.Trial.Hash != me.Hash {
		v.Trial = &Trial{Hash: me.Hash, Canaries: p.Canaries}
	}
	r.Serial++
	v.Trial.Holds = append(v.Trial.Holds, Hold{
		Pod: me.Pod, Container: me.Container, Life: me.Life, Bound: int((me.Bound + time.Second - 1) / time.Second), Serial: r.Serial,
	})
	return Answer{Verdict: Go}
}

func wait(format string, args ...any) Answer {
	return Answer{Wait, fmt.Sprintf(format, args...)}
}

func refuse(by *Rejection) Answer {
	return Answer{Refuse, fmt.Sprintf("%s was rejected by %s at step %s", Short(by.Hash), by.Pod, by.Step)}
}

// Short is a hash as the log prints it.
func Short(hash string) string {
	return hash[:min(12, len(hash))]
}
