package rollout

import (
	"fmt"
	"slices"
	"time"
)

// failurePause is for how long nobody begins after a verdict that rejects nothing yet:
// so long others have to tell that they found the same.
const failurePause = 10 * time.Minute

// MaxFailures is the most pods that it takes to reject a hash.
const MaxFailures = maxLate

// needed is how many different pods must reject a hash before it is rejected; 0: that
// isn't enough, as nobody knows how many run on it.
func (v *Revision) needed(hash string) int {
	accepted, failures := 0, 0
	if p := v.proof(hash); p != nil {
		accepted, failures = p.Accepted, p.Failures
	}
	tried := v.Trial != nil && v.Trial.Hash == hash
	if tried {
		accepted, failures = max(accepted, v.Trial.Accepted), v.Trial.Failures
	}
	switch {
	case failures > 0:
		return min(failures, MaxFailures)
	case !tried && accepted == 0:
		return 0
	case accepted >= proving || v.isProved(hash): // who is alone in this may have a broken disk
		return min(max(2, accepted/100), MaxFailures)
	}
	return 1
}

// hears reports that a verdict about a hash counts, whoever says it.
func (v *Revision) hears(hash string) bool {
	return hash == v.Stable || v.Trial != nil && v.Trial.Hash == hash
}

// said is what a pod has said against a hash; nil: nothing.
func (v *Revision) said(me Replica) *Late {
	i := slices.IndexFunc(v.Late, func(l Late) bool { return l.Pod == me.Pod && l.Hash == me.Hash })
	if i < 0 {
		return nil
	}
	return &v.Late[i]
}

// forgetOne makes room: for what nobody waits for, then for who will say more, as that
// counts nonetheless, then for the oldest.
func (v *Revision) forgetOne() {
	i := slices.IndexFunc(v.Late, func(l Late) bool { return !l.Open && !l.Failed })
	if i < 0 {
		i = max(0, slices.IndexFunc(v.Late, func(l Late) bool { return !l.Failed }))
	}
	v.Late = slices.Delete(v.Late, i, i+1)
}

// note takes the place of what the pod has said before.
func (r *Record) note(v *Revision, me Replica, l Late) {
	r.Serial++
	l.Hash, l.Pod, l.Name, l.Open, l.Serial = me.Hash, me.Pod, cut(me.PodName), true, r.Serial
	if before := v.said(me); before != nil {
		*before = l
		return
	}
	if len(v.Late) >= maxLate {
		v.forgetOne()
	}
	v.Late = append(v.Late, l)
}

// relapse notes that an app has ended late. That stops its hash until the pod says
// more, once.
func (r *Record) relapse(v *Revision, me Replica, o Outcome, date int64) {
	bound := me.Bound
	if bound <= 0 {
		bound = failurePause
	}
	if v.needed(me.Hash) > 0 && v.said(me) == nil {
		r.note(v, me, Late{Step: cut(o.Step), Bound: seconds(bound), At: date})
	}
}

// fail notes that a pod has rejected a hash, which may be one too many.
func (r *Record) fail(v *Revision, me Replica, o Outcome, date int64) (rejected bool) {
	need := v.needed(me.Hash)
	if need == 0 {
		return false
	}
	if l := v.said(me); l == nil || !l.Failed {
		r.note(v, me, Late{Step: cut(o.Step), Failed: true, Bound: seconds(failurePause), At: date})
	}
	failed := 0
	for _, l := range v.Late {
		if l.Failed && l.Hash == me.Hash {
			failed++
		}
	}
	if failed < need {
		return false
	}
	v.reject(Rejection{Hash: me.Hash, Step: cut(o.Step), Pod: cut(me.PodName), At: date})
	return true
}

// answer closes what a pod said about a hash: it has said more.
func (v *Revision) answer(me Replica) {
	for i, l := range v.Late {
		if l.Pod == me.Pod && l.Hash == me.Hash && !l.Failed {
			v.Late[i].Open = false
		}
	}
}

// age closes a pod's own verdict that is long over: it asks again, and since then nobody
// else may have looked.
func (v *Revision) age(me Replica, date int64) {
	if l := v.said(me); l != nil && l.Failed && l.At > 0 && date-l.At >= int64(seconds(lapse(l.Bound))) {
		l.Open = false
	}
}

// halted says why nobody begins with a hash; "" if somebody may.
func (v *Revision) halted(hash string) string {
	for _, l := range v.Late {
		switch {
		case !l.Open || l.Hash != hash:
		case l.Failed:
			return fmt.Sprintf("%s has rejected it at step %s; the next waits whether others do, for %s", l.Name, l.Step, lapse(l.Bound)-grace)
		default:
			return fmt.Sprintf("the app of %s has ended with it once; the next waits until that pod says more, at most %s", l.Name, lapse(l.Bound)-grace)
		}
	}
	return ""
}

// squeeze makes room for a verdict: what pods have said before may go.
func (r *Record) squeeze() {
	for _, v := range r.Revisions {
		for r.fits(MaxSize) != nil && len(v.Late) > 1 {
			v.forgetOne()
		}
	}
}
