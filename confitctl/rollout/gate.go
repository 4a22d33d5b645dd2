package rollout

import "fmt"

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
	Failures int  // how many pods must reject a hash; 0: one, and once it is proved two, or one of a hundred that accepted it
	Steps    bool // the fleet goes back to what was stable before in steps, too
}

// Gate answers a replica that wants to go on with me.Hash. The observer is what
// this replica has seen, this record included. The answer holds only once the record
// is stored.
func (r Record) Gate(me Replica, p Policy, o Observer) (Answer, Record) {
	if me.Hash == me.Accepted {
		return Answer{Verdict: Go}, r
	}
	next := r.Sweep(o)
	if next.mixedUp(me) {
		return refuseMixedUp(me), r
	}
	answer := next.decide(me, p, o)
	if err := next.fits(MaxSize - verdictRoom); err != nil && !next.Same(r) {
		return Answer{Wait, err.Error()}, r
	}
	return answer, next
}

// decide changes r to what it is with its answer.
func (r *Record) decide(me Replica, p Policy, o Observer) Answer {
	v, date := r.revision(me.Revision), o.Last.Date
	v.see(date)
	v.age(me, date)
	held := v.endHold(me) // whatever comes next: a replica has one hold at most
	switch {
	case v.Rejection(me.Hash) != nil:
		return refuse(v.Rejection(me.Hash))
	case held == me.Hash:
		return r.hold(v, me, p, date) // it was interrupted, and takes its hold over
	case v.halted(me.Hash) != "":
		return wait("%s", v.halted(me.Hash))
	case me.Starting && (v.Stable == "" || v.Stable == me.Hash):
		return Answer{Verdict: Go}
	case r.Paused:
		return wait("the rollout is paused")
	case !p.Steps && v.isFree(me.Hash):
		r.goBack(v, me, date)
		return Answer{Verdict: Go}
	case v.inFlight() > 0 && v.Trial.Hash != me.Hash:
		return wait("%s is tried first", Short(v.Trial.Hash))
	}
	if reason := v.full(me.Hash, p.Parallel, o); reason != "" {
		return wait("%s", reason)
	}
	return r.hold(v, me, p, date)
}

// isFree reports that all may go on with a hash at once: a person said so, or it was
// proved, and the fleet goes back to it from another.
func (v *Revision) isFree(hash string) bool {
	switch tried := v.Trial != nil && v.Trial.Hash == hash; {
	case !v.isProved(hash) || v.untried(hash):
		return false
	case tried:
		return v.Trial.Free
	}
	return true
}

// goBack makes what was stable before stable again, when the first replica comes back
// to it from what is stable. That needs proof again, and who is still in flight with
// it ends.
func (r *Record) goBack(v *Revision, me Replica, date int64) {
	if me.Hash != v.Previous || me.Accepted != v.Stable {
		return
	}
	left := v.known(v.Stable)
	left.Proved, left.Serial, left.Accepted = false, 0, 0
	if v.Trial != nil && v.Trial.Hash == v.Stable {
		v.Trial.Undone, v.Trial.Free = true, false
	}
	v.makeStable(me.Hash, date)
	back := v.known(me.Hash)
	back.Proved = false
	r.prove(back) // last
	r.settle(date)
}

// full says why no other replica may hold a hash now; "" if one may. It says the
// same as long as nothing else happens, so that who waits can be silent.
func (v *Revision) full(hash string, p Parallel, o Observer) string {
	t := v.Trial
	switch {
	case t == nil || t.Hash != hash || t.isOver():
		return "" // the first of a trial
	case t.Undone:
		return "the fleet has gone back from it, and replicas are still on their way"
	case !v.untried(hash):
		if len(t.Holds) >= p.allowed(t.Accepted) {
			return "as many replicas are in flight as may be"
		}
		return ""
	case len(t.Holds) > 0:
		return "a canary is on its way"
	case !o.over(v.lossMark(), t.LostAt, t.delay()):
		return fmt.Sprintf("a canary was lost; the next waits for %s", t.delay())
	}
	return ""
}

// isOver reports that nobody is in flight any more in a trial that was undone.
func (t *Trial) isOver() bool { return t.Undone && len(t.Holds) == 0 }

// hold gives me a hold, in a trial that is new unless its hash is tried already.
func (r *Record) hold(v *Revision, me Replica, p Policy, date int64) Answer {
	if !r.use(v) {
		return wait("the rollouts of %d other revisions have replicas in flight", maxWhole)
	}
	if v.Trial == nil || v.Trial.Hash != me.Hash || v.Trial.isOver() {
		v.Trial = &Trial{Hash: me.Hash, Since: date, Canaries: p.Canaries}
		v.prune()
	}
	v.see(date)
	v.Trial.Failures = p.Failures
	r.Serial++
	v.Trial.Holds = append(v.Trial.Holds, Hold{
		Pod: me.Pod, Name: cut(me.PodName), Container: me.Container, Life: me.Life, Bound: seconds(me.Bound), Serial: r.Serial, At: date,
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
