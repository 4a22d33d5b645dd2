package rollout

import (
	"slices"
	"time"
)

// promises is what the world knows on its own of what every update has to keep.
type promises struct {
	granted map[string]time.Duration // when a hold was, by revision, pod and serial
	silent  map[about]time.Duration  // until when nobody begins with a hash, as a pod's app has ended with it
	stable  map[about]bool           // hashes that ever were, without a pod
	watched map[string]time.Duration // since when somebody looks at a hold while the servers answer
}

type about struct{ revision, hash, pod string }

func newPromises() promises {
	return promises{map[string]time.Duration{}, map[about]time.Duration{}, map[about]bool{}, map[string]time.Duration{}}
}

// checkPromises holds of an update what doc.go guarantees.
func (w *world) checkPromises(r *replica, before, after Record) {
	for _, v := range after.Revisions {
		old := before.revision(v.Name)
		w.checkSilence(r, old, v)
		w.checkLapses(r, old, v)
		if v.Name == r.revision && w.telling != nil {
			w.checkVerdict(r, old, v, after.Snapshot)
		}
		w.promises.stable[about{v.Name, v.Stable, ""}] = true
	}
	w.checkSnapshot(after)
	w.checkForgotten(before, after)
}

// checkSilence: a relapse stops its hash until its pod says more, or its bound is over.
func (w *world) checkSilence(r *replica, old, v *Revision) {
	for _, h := range v.holds() {
		mark := v.holdMark(h)
		if _, known := w.promises.granted[mark]; known {
			continue
		}
		w.promises.granted[mark] = w.now
		for a, until := range w.promises.silent {
			again := slices.ContainsFunc(old.holds(), func(o Hold) bool { return o.Pod == h.Pod })
			if a.revision == v.Name && a.hash == v.Trial.Hash && w.now < until && !again {
				w.fail("silence: %s begins with %s, of which the app of %s has just died", r.name, a.hash, a.pod)
			}
		}
	}
	for a := range w.promises.silent {
		if a.revision == v.Name && v.untried(a.hash) && (v.Trial == nil || v.Trial.Hash != a.hash) {
			delete(w.promises.silent, a) // it is over anyway
		}
	}
	if t := w.telling; t != nil && v.Name == r.revision {
		a := about{v.Name, t.hash, w.pod}
		before := slices.ContainsFunc(old.Late, func(l Late) bool { return l.Pod == w.pod && l.Hash == t.hash })
		switch {
		case t.Kind != Relapsed:
			delete(w.promises.silent, a)
		case !before && counts(old, t.hash):
			w.promises.silent[a] = w.now + relapseBound
		}
	}
}

// counts reports that a verdict about a hash is heard: it is tried, or it is stable and
// somebody was counted who accepted it.
func counts(v *Revision, hash string) bool {
	tried, accepted := acceptances(v, hash)
	return v.Rejection(hash) == nil && (tried || hash == v.Stable && accepted > 0)
}

func acceptances(v *Revision, hash string) (tried bool, accepted int) {
	if p := v.proof(hash); p != nil {
		accepted = p.Accepted
	}
	if v.Trial != nil && v.Trial.Hash == hash {
		return true, max(accepted, v.Trial.Accepted)
	}
	return false, accepted
}

// checkVerdict: a verdict rejects if enough pods have given it, and else doesn't. Then
// what was stable before is so again, and in the snapshot.
func (w *world) checkVerdict(r *replica, old, v *Revision, snapshot string) {
	t := w.telling
	if t.Kind != RolledBack || t.Step == stepGate || !counts(old, t.hash) {
		return
	}
	_, accepted := acceptances(old, t.hash)
	need := 1
	if p := old.proof(t.hash); accepted >= 10 || p != nil && p.Proved {
		need = max(2, accepted/100)
	}
	pods := map[string]bool{w.pod: true}
	for _, l := range old.Late {
		if l.Hash == t.hash && l.Failed {
			pods[l.Pod] = true
		}
	}
	rejected := v.Rejection(t.hash) != nil
	switch {
	case rejected && len(pods) < need:
		w.fail("turned: %d of %d that accepted %s have rejected it, and the fleet is turned", len(pods), accepted, t.hash)
	case !rejected && len(pods) >= need:
		w.fail("late verdict: %d of %d that accepted %s have rejected it, and it goes on", len(pods), accepted, t.hash)
	case rejected && (v.Stable == t.hash || snapshot == t.hash):
		w.fail("late verdict: %s is rejected, and is still what others start on", t.hash)
	}
}

// checkLapses: nobody takes a place away before the holder's bound is over.
func (w *world) checkLapses(r *replica, old, v *Revision) {
	for _, h := range old.holds() {
		kept := slices.ContainsFunc(v.holds(), func(o Hold) bool { return o.Serial == h.Serial })
		since := w.now - w.promises.granted[old.holdMark(h)]
		if !kept && h.Pod != w.pod && since < time.Duration(h.Bound)*time.Second && w.scenario.jump.at == 0 {
			w.fail("early: %s takes a place away after %s, its bound is %d s", r.name, since, h.Bound)
		}
	}
}

// checkLook: no hold outlives its bound for long, while somebody looks and is answered.
func (w *world) checkLook(r *replica, record Record) {
	v := record.revision(r.revision)
	for _, h := range v.holds() {
		mark := v.holdMark(h)
		since, known := w.promises.watched[mark]
		if !known {
			since = w.now
			w.promises.watched[mark] = since
		}
		if limit := w.scenario.holdLimit; limit > 0 && w.now-since-w.outage(since) > limit {
			w.fail("outlives: %s holds %s for %s, and others look", h.Name, v.Trial.Hash, w.now-since)
		}
	}
}

// outage is for how long no server answered since then, with the time until somebody
// looks again.
func (w *world) outage(since time.Duration) (long time.Duration) {
	for _, o := range w.scenario.outages {
		if o.at+o.long > since && o.at < w.now {
			long += o.long + 30*time.Second
		}
	}
	return long
}

// checkPass: nobody begins with what was rejected. Who needs no place begins with what
// was stable, or is the first of its revision.
func (w *world) checkPass(r *replica, record Record) {
	v := record.revision(r.revision)
	if v.Rejection(r.asking) != nil {
		w.fail("rejected: %s begins with %s, which was rejected", r.name, r.asking)
	}
	if r.free && v.Stable != "" && !w.promises.stable[about{v.Name, r.asking, ""}] {
		w.fail("free: %s begins with %s without a place", r.name, r.asking)
	}
}

// checkSnapshot: it is never what a revision has rejected that has replicas.
func (w *world) checkSnapshot(after Record) {
	for _, r := range w.replicas {
		v := after.revision(r.revision)
		if after.Snapshot != "" && v.Rejection(after.Snapshot) != nil {
			w.fail("snapshot: it is to hold %s, which %s has rejected, and %s is there", after.Snapshot, v.Name, r.name)
		}
	}
}

// checkForgotten: what a revision with replicas runs on, and what it has rejected last,
// is known.
func (w *world) checkForgotten(before, after Record) {
	for _, old := range before.Revisions {
		v := after.revision(old.Name)
		if !slices.ContainsFunc(w.replicas, func(r *replica) bool { return r.revision == old.Name }) {
			continue
		}
		if n := len(old.Rejected); n > 0 && v.Rejection(old.Rejected[n-1].Hash) == nil {
			w.fail("forgotten: %s no longer knows that it has rejected %s", old.Name, old.Rejected[n-1].Hash)
		}
		if old.Stable != "" && v.Stable == "" && len(v.Rejected) == len(old.Rejected) {
			w.fail("forgotten: %s no longer knows that %s is stable", old.Name, old.Stable)
		}
	}
}
