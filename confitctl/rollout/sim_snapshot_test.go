package rollout

import (
	"slices"
	"time"
)

// snapshot is the object that new pods start on, and what it was to hold.
type snapshot struct {
	version int
	hash    string
	wanted  []string // each hash that the record has wanted, in order
	reached int      // how far in that order the object has come
}

// want notes what a new record wants.
func (s *snapshot) want(hash string) {
	if n := len(s.wanted); hash != "" && (n == 0 || s.wanted[n-1] != hash) {
		s.wanted = append(s.wanted, hash)
	}
}

// keep writes the snapshot as a report does that is stored: it reads the object,
// then the record, and replaces the object as it was read.
func (r *replica) keep(record Record, o Outcome, done func()) {
	if record.Snapshot == "" || record.Snapshot != r.inForce() || !o.IsBack() {
		done()
		return
	}
	hash, wanted := record.Snapshot, len(r.w.snapshot.wanted)
	again := func() {
		r.later(between(r.rng, 50*time.Millisecond, 2*time.Second), func() { r.keep(record, o, done) })
	}
	kept := func() {
		r.w.checkKept(r, hash, wanted)
		done()
	}
	r.request(func(answered func(func())) {
		r.w.look(r, func(version int, held string) {
			answered(func() {
				if held == hash {
					kept()
					return
				}
				r.request(func(answered func(func())) {
					r.w.get(r, func(_ int, record Record, _ int64) {
						answered(func() {
							if record.Snapshot == hash {
								r.replaceObject(version, hash, kept, again)
							} else {
								done()
							}
						})
					})
				}, again)
			})
		})
	}, again)
}

func (r *replica) replaceObject(version int, hash string, kept, again func()) {
	r.request(func(answered func(func())) {
		r.w.replace(r, version, hash, func(ok bool) {
			answered(func() {
				if ok {
					kept()
				} else {
					again()
				}
			})
		})
	}, again)
}

// look reads the object over r's network, and replace replaces it if nobody else
// was faster.
func (w *world) look(r *replica, done func(version int, hash string)) {
	w.message(r, func() {
		version, hash := w.snapshot.version, w.snapshot.hash
		w.message(r, func() { done(version, hash) })
	})
}

func (w *world) replace(r *replica, version int, hash string, done func(ok bool)) {
	w.message(r, func() {
		ok := version == w.snapshot.version
		if ok {
			w.snapshot.version++
			w.checkReplace(r, hash)
			w.snapshot.hash = hash
		}
		w.message(r, func() { done(ok) })
	})
}

// checkReplace: the object never goes back to what was wanted before.
func (w *world) checkReplace(r *replica, hash string) {
	s := &w.snapshot
	w.say("%s writes %s into the snapshot", r.name, hash)
	last := len(s.wanted) - 1
	for last >= 0 && s.wanted[last] != hash {
		last--
	}
	if last < s.reached {
		w.fail("%s wrote %s into the snapshot, which held %s; wanted were %v", r.name, hash, s.hash, s.wanted)
	}
	s.reached = last
}

// checkKept: when a report has ended, the snapshot is what its replica has
// accepted. Two things excuse it. The fleet has accepted something else since
// the report read the record. Or it had accepted this before, too: then the
// object may have passed for up to date while a slow report of what came in
// between was under way. Wanted is how much the fleet had wanted when this
// report began to keep it.
func (w *world) checkKept(r *replica, hash string, wanted int) {
	s := w.snapshot
	current := len(s.wanted) == wanted && s.wanted[wanted-1] == hash
	again := slices.Contains(s.wanted[:wanted-1], hash)
	if current && !again && s.hash != hash {
		w.fail("%s has reported, and the snapshot holds %s, not %s", r.name, s.hash, hash)
	}
}
