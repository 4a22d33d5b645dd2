package rollout

import "slices"

// proving is how many must accept a hash before it is proved, unless one app lives on it
// for long. Until then one verdict rejects it.
const proving = 10

// proof is that of a hash; nil: nothing is known of it.
func (v *Revision) proof(hash string) *Proof {
	i := slices.IndexFunc(v.Proofs, func(p Proof) bool { return p.Hash == hash })
	if i < 0 {
		return nil
	}
	return &v.Proofs[i]
}

// known is the proof of a hash, which begins with this.
func (v *Revision) known(hash string) *Proof {
	if v.proof(hash) == nil {
		v.Proofs = append(v.Proofs, Proof{Hash: hash})
	}
	return v.proof(hash)
}

func (v *Revision) isProved(hash string) bool {
	p := v.proof(hash)
	return p != nil && p.Proved
}

// proveByMany proves a hash that enough have accepted, unless somebody has said something
// against it that isn't answered.
func (r *Record) proveByMany(v *Revision, p *Proof) {
	if p.Accepted >= proving && v.halted(p.Hash) == "" {
		r.prove(p)
	}
}

// prove notes that the fleet has lived on a hash. New pods may start on it.
func (r *Record) prove(p *Proof) {
	if !p.Proved {
		r.Serial++
		p.Proved, p.Serial = true, r.Serial
	}
}

// prune forgets of what is neither stable, nor was, nor is tried.
func (v *Revision) prune() {
	unknown := func(hash string) bool { return v.untried(hash) && (v.Trial == nil || v.Trial.Hash != hash) }
	v.Proofs = slices.DeleteFunc(v.Proofs, func(p Proof) bool { return unknown(p.Hash) })
	v.Late = slices.DeleteFunc(v.Late, func(l Late) bool { return unknown(l.Hash) })
}

// makeStable puts a hash before the one that was stable.
func (v *Revision) makeStable(hash string, date int64) {
	if v.Stable != hash {
		v.Previous, v.Stable = v.Stable, hash
		v.known(hash).At = date
		v.prune()
	}
}

// accept counts one more replica for the trial's hash, which may be the last
// that was needed.
func (r *Record) accept(v *Revision, date int64) {
	t := v.Trial
	t.Accepted++
	t.Losses, t.Lost, t.LostAt = 0, 0, 0
	if v.Rejection(t.Hash) != nil || t.Undone {
		return
	}
	if t.Accepted >= t.Canaries || !v.untried(t.Hash) {
		v.makeStable(t.Hash, date)
	}
	p := v.known(t.Hash)
	p.Accepted, p.Failures = max(p.Accepted, t.Accepted), t.Failures
	r.proveByMany(v, p)
}

// follow counts a replica that has started on what is stable, until that is proved:
// one of many mustn't turn the fleet.
func (r *Record) follow(v *Revision, me Replica, o Outcome) {
	p := v.proof(me.Hash)
	if p == nil || me.Hash != v.Stable || o.Source != sourceMounted || p.Accepted == 0 || p.Accepted >= proving {
		return
	}
	p.Accepted++
	r.proveByMany(v, p)
}

// first makes a hash stable which the first replica of its revision runs on. Nobody
// was asked before, and nobody counts who follows.
func (r *Record) first(v *Revision, hash string, date int64) {
	v.makeStable(hash, date)
	r.prove(v.known(hash))
}

// reject stops a hash. What was stable before it is stable again.
func (v *Revision) reject(by Rejection) {
	if v.Rejection(by.Hash) == nil {
		v.Rejected = append(v.Rejected, by)
		v.Rejected = v.Rejected[max(0, len(v.Rejected)-maxRejected):]
	}
	if v.Stable == by.Hash {
		v.Stable, v.Previous = v.Previous, ""
	}
	if v.Previous == by.Hash {
		v.Previous = ""
	}
	about := func(p Proof) bool { return p.Hash == by.Hash }
	v.Proofs = slices.DeleteFunc(v.Proofs, about)
	v.Late = slices.DeleteFunc(v.Late, func(l Late) bool { return l.Hash == by.Hash })
}

// settle chooses what the snapshot is to hold: the hash that was proved last, unless a
// revision that may have replicas has rejected it. What is rejected isn't kept, even
// if there is nothing else.
func (r *Record) settle(date int64) {
	var last Proof
	for _, v := range r.Revisions {
		for _, p := range v.Proofs {
			if p.Proved && p.Serial > last.Serial && !v.untried(p.Hash) && !r.isBarred(p.Hash, date) {
				last = p
			}
		}
	}
	switch {
	case last.Hash != "":
		r.Snapshot = last.Hash
	case r.isBarred(r.Snapshot, date):
		r.Snapshot = ""
	}
}

// isBarred reports that replicas may be there which have rejected a hash.
func (r *Record) isBarred(hash string, date int64) bool {
	return slices.ContainsFunc(r.Revisions, func(v *Revision) bool { return v.Rejection(hash) != nil && v.isAlive(date) })
}
