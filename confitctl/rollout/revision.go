package rollout

import (
	"cmp"
	"slices"
	"time"
)

// How many revisions a record has, and how current it is.
const (
	maxWhole   = 3                   // a rolling update has two, a third is what it may go back to
	maxRemains = 8                   // of others, what keeps their replicas from what they have rejected
	refresh    = int64(60 * 60)      // seconds: a revision's Seen is that old at most
	alive      = int64(24 * 60 * 60) // seconds: so long after that, replicas of it may be there
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

// see notes that a replica of a revision is there.
func (v *Revision) see(date int64) {
	if date-v.Seen >= refresh {
		v.Seen = date
	}
}

// isAlive reports that replicas of a revision may be there.
func (v *Revision) isAlive(date int64) bool { return v.Seen == 0 || date-v.Seen < alive }

// use makes v whole, and the last of the record. If there are too many, of others only
// remains stay: of one that never accepted anything first, then of the one that was
// seen longest ago, but never of one with replicas in flight: their limits would be
// forgotten with them. false: there is none.
func (r *Record) use(v *Revision) bool {
	others := slices.DeleteFunc(slices.Clone(r.Revisions), func(o *Revision) bool { return o == v })
	for isWhole := (*Revision).isWhole; count(others, isWhole) >= maxWhole; {
		victim := oldest(others, func(o *Revision) bool { return o.isWhole() && o.inFlight() == 0 })
		if victim == nil {
			return false
		}
		victim.strip()
	}
	others = slices.DeleteFunc(others, (*Revision).isEmpty)
	for isRemains := (*Revision).isRemains; count(others, isRemains) > maxRemains; {
		victim := oldest(others, isRemains)
		others = slices.DeleteFunc(others, func(o *Revision) bool { return o == victim })
	}
	v.Remains = false
	r.Revisions = append(others, v)
	return true
}

func count(all []*Revision, is func(*Revision) bool) (n int) {
	for _, v := range all {
		if is(v) {
			n++
		}
	}
	return n
}

// oldest is the first to be forgotten of some; nil: there is none.
func oldest(all []*Revision, of func(*Revision) bool) (first *Revision) {
	for _, v := range all {
		if of(v) && (first == nil || v.isForgottenBefore(first)) {
			first = v
		}
	}
	return first
}

func (v *Revision) isForgottenBefore(other *Revision) bool {
	if (v.Stable == "") != (other.Stable == "") {
		return v.Stable == ""
	}
	return cmp.Less(v.Seen, other.Seen)
}

// strip leaves what keeps a replica from what its revision has rejected.
func (v *Revision) strip() {
	v.Previous, v.Trial, v.Late = "", nil, nil
	v.prune()
	v.Rejected = v.Rejected[max(0, len(v.Rejected)-1):]
	v.Remains = true
}

func (v *Revision) isWhole() bool   { return !v.Remains }
func (v *Revision) isRemains() bool { return v.Remains && !v.isEmpty() }
func (v *Revision) isEmpty() bool   { return v.Remains && v.Stable == "" && len(v.Rejected) == 0 }

// untried reports that a hash needs canaries.
func (v *Revision) untried(hash string) bool {
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
func (r *Record) lost(v *Revision, date int64) {
	if v.untried(v.Trial.Hash) {
		r.Serial++
		v.Trial.Losses++
		v.Trial.Lost, v.Trial.LostAt = r.Serial, date
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
