package rollout

import (
	"slices"
	"time"
)

// revision is the one of that name, or an empty one that isn't in the record
// before somebody uses it.
func (r *Record) revision(name string) *Revision {
	if i := r.index(name); i >= 0 {
		return r.Revisions[i]
	}
	return &Revision{Name: name}
}

func (r *Record) index(name string) int {
	return slices.IndexFunc(r.Revisions, func(v *Revision) bool { return v.Name == name })
}

// use makes v the one that was used last. A new one takes the place of the one
// that was not used for the longest time, but never of one with replicas in
// flight: their limits would be forgotten with them. false: there is none.
func (r *Record) use(v *Revision) bool {
	i := r.index(v.Name)
	if i < 0 && len(r.Revisions) >= maxRevisions {
		i = slices.IndexFunc(r.Revisions, func(v *Revision) bool { return v.inFlight() == 0 })
		if i < 0 {
			return false
		}
	}
	if i >= 0 {
		r.Revisions = slices.Delete(r.Revisions, i, i+1)
	}
	r.Revisions = append(r.Revisions, v)
	return true
}

// unproved reports that a hash needs canaries.
func (v *Revision) unproved(hash string) bool {
	return hash != v.Stable && hash != v.Previous
}

func (v *Revision) inFlight() int {
	if v.Trial == nil {
		return 0
	}
	return len(v.Trial.Holds)
}

// endHold ends the hold of a replica and returns its hash; "" if it has none.
func (v *Revision) endHold(me Replica) string {
	if v.Trial == nil {
		return ""
	}
	n := len(v.Trial.Holds)
	v.Trial.Holds = slices.DeleteFunc(v.Trial.Holds, func(h Hold) bool { return h.isMine(me) })
	if len(v.Trial.Holds) == n {
		return ""
	}
	return v.Trial.Hash
}

// Rejection is nil for a hash that wasn't rejected.
func (v *Revision) Rejection(hash string) *Rejection {
	i := slices.IndexFunc(v.Rejected, func(j Rejection) bool { return j.Hash == hash })
	if i < 0 {
		return nil
	}
	return &v.Rejected[i]
}

// lost notes that a holder is gone without a verdict. It delays the next canary,
// so that a hash which kills its pod doesn't go through the fleet one by one.
func (r *Record) lost(v *Revision) {
	if v.unproved(v.Trial.Hash) {
		r.Serial++
		v.Trial.Losses++
		v.Trial.Lost = r.Serial
	}
}

// delay is how long the next canary waits after the last loss: 1, 2, 4 … 60
// minutes.
func (t *Trial) delay() time.Duration {
	if t.Losses < 1 {
		return 0
	}
	return min(time.Hour, time.Minute<<min(t.Losses-1, 6))
}
