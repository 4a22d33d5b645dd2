package rollout

import (
	"reflect"
	"slices"
)

// checkCommit holds what every update promises. It computes what is allowed
// on its own, from what the record was before.
func (w *world) checkCommit(r *replica, before, after Record) {
	if !reflect.DeepEqual(after.clone(), after) {
		w.fail("a clone of the record differs")
	}
	if whole := count(after.Revisions, (*Revision).isWhole); whole > maxWhole || len(after.Revisions) > maxWhole+maxRemains {
		w.fail("%d revisions, %d of them whole", len(after.Revisions), whole)
	}
	for _, v := range after.Revisions {
		old := before.revision(v.Name)
		w.checkHolds(r, old, v)
		w.checkRejections(r, old, v)
	}
	for _, old := range before.Revisions {
		if after.index(old.Name) < 0 && old.inFlight() > 0 {
			w.fail("%s dropped revision %s with %d in flight", r.name, old.Name, old.inFlight())
		}
	}
}

// checkHolds: who gets a hold finds a place free, and gets it for a hash that
// nobody rejected.
func (w *world) checkHolds(r *replica, old, v *Revision) {
	for _, h := range v.holds() {
		if slices.Contains(old.holds(), h) {
			continue
		}
		w.say("%s holds %s: %d in flight, %d accepted", r.name, v.Trial.Hash, len(v.Trial.Holds), v.Trial.Accepted)
		if old.Rejection(v.Trial.Hash) != nil {
			w.fail("%s got a hold for %s, which was rejected", r.name, v.Trial.Hash)
		}
		if old.inFlight() > 0 && old.Trial.Hash != v.Trial.Hash && !w.scenario.mayOverlap && w.flies(old) != nil {
			w.fail("%s gets %s while %s tries %s", r.name, v.Trial.Hash, w.flies(old).name, old.Trial.Hash)
		}
		if allowed := w.allowed(v); len(v.Trial.Holds) > allowed {
			w.fail("%s is one of %d in flight for %s; %d are allowed", r.name, len(v.Trial.Holds), v.Trial.Hash, allowed)
		}
	}
}

func (v *Revision) holds() []Hold {
	if v.Trial == nil {
		return nil
	}
	return v.Trial.Holds
}

// allowed is the contract's own formula, by multiplication: the greatest n with
// n ≤ p·(accepted+n), at least one, at most a hundred; one before the canaries
// have accepted.
func (w *world) allowed(v *Revision) int {
	if v.Trial.Hash != v.Stable && v.Trial.Hash != v.Previous {
		return 1
	}
	p := w.scenario.policy.Parallel
	if p.number > 0 {
		return p.number
	}
	n := 1
	for n < 100 && (n+1)*100 <= p.percent*(v.Trial.Accepted+n+1) {
		n++
	}
	return n
}

// checkRejections: only who found a hash bad rejects it.
func (w *world) checkRejections(r *replica, old, v *Revision) {
	for _, j := range v.Rejected {
		if old.Rejection(j.Hash) != nil {
			continue
		}
		w.say("%s is rejected in %s", j.Hash, v.Name)
		if !w.verdicts[j.Hash] || j.Pod != cut(w.name) || w.telling == nil || w.telling.hash != j.Hash {
			w.fail("%s was rejected, but %s did not find it bad", j.Hash, r.name)
		}
	}
}

// checkFlight looks at who is in flight when somebody begins and when he ends:
// each has a place. Who has lost it, as he was away for longer than his bound,
// overlaps with his successor, and is counted.
func (w *world) checkFlight(r *replica) {
	flying := 0
	for _, other := range w.replicas {
		if other.revision == r.revision && other.flying != "" && w.holder(other) {
			flying++
		}
	}
	v := w.store.record.revision(r.revision)
	if flying > v.inFlight() {
		w.fail("%d in flight with %d holds", flying, v.inFlight())
	}
	if !r.free && !w.holder(r) {
		w.overlaps++
		w.say("%s has lost its place", r.name)
		if !w.scenario.mayOverlap {
			w.fail("%s tries %s without a hold", r.name, r.flying)
		}
	}
}

// flies is somebody who tries the hash of a trial, with a hold.
func (w *world) flies(v *Revision) *replica {
	for _, r := range w.replicas {
		if r.flying == v.Trial.Hash && w.holder(r) {
			return r
		}
	}
	return nil
}

func (w *world) holder(r *replica) bool {
	v := w.store.record.revision(r.revision)
	return slices.ContainsFunc(v.holds(), func(h Hold) bool { return h.Pod == r.pod && v.Trial.Hash == r.flying })
}

// checkEnd: everybody has what is mounted, and nothing is left over.
func (w *world) checkEnd() {
	for _, r := range w.replicas {
		wrong := w.hasSick() || len(w.scenario.blackouts) > 0 && !w.scenario.innocent
		spoiled := wrong && w.store.record.revision(r.revision).Rejection(r.mounted) != nil
		if !isBad(r.mounted, r.revision) && !isLate(r.mounted) && !spoiled && !r.sick && (r.disk.top() != r.mounted || !r.up) {
			w.fail("%s has %q in the end, not %q", r.name, r.disk.top(), r.mounted)
		}
		if due := r.due(); due != nil && due.Step != stepGate { // it asks again
			w.fail("%s did not get rid of its report", r.name)
		}
	}
}
