package rollout

import "time"

// simYoung is for how long what was accepted is young, and relapseBound how long
// confit may take from a relapse to what it says next.
const (
	simYoung     = 5 * time.Minute
	relapseBound = 2*simYoung + 5*time.Minute
	stepRelapse  = "relapse"
)

// live is the app's life on what was accepted. If it dies of that late, it does so in
// each of its lives.
func (r *replica) live() {
	hash := r.disk.accepted
	switch {
	case isLate(hash):
		r.later(between(r.rng, 5*time.Second, simYoung), func() { r.die(hash) })
	case r.sick && r.disk.asked == hash:
		r.later(between(r.rng, 5*time.Second, 20*time.Second), func() { r.die(hash) })
	default:
		r.later(simYoung, func() { r.grow(hash) })
	}
}

// grow tells that the app has lived for long, once, when there is nothing else to
// tell.
func (r *replica) grow(hash string) {
	switch {
	case r.disk.accepted != hash || r.disk.asked != hash || r.disk.settled || r.flying != "":
	case r.disk.due != nil || r.disk.late != nil:
		r.later(10*time.Second, func() { r.grow(hash) })
	default:
		r.disk.settled = true
		r.say(Outcome{Kind: Settled, Source: sourceMounted}, hash, func() {})
	}
}

// die is a relapse: the first ends the container, and at the second the app is started
// on what there was before. It outlives the younger one there.
func (r *replica) die(hash string) {
	if r.disk.accepted != hash || r.flying != "" {
		return
	}
	other := r.disk.earlier
	if other == "" || other == hash {
		other = r.fallback
	}
	r.disk.relapses++
	r.w.say("%s dies of %s late, for the %dth time", r.name, hash, r.disk.relapses)
	switch {
	case r.disk.relapses == 1 && r.disk.asked == hash:
		r.disk.late = &outcome{hash, Outcome{Kind: Relapsed, Step: stepRelapse, Source: "stored"}}
		r.crash(between(r.rng, time.Second, 20*time.Second))
	case r.disk.relapses == 1 || other == "" || other == hash || isBad(other, r.revision):
		r.crash(between(r.rng, 10*time.Second, 5*time.Minute))
	default:
		r.disk.accepted, r.disk.barred, r.disk.earlier = other, hash, ""
		r.w.verdicts[hash] = true
		asked := r.disk.asked == hash
		r.disk.asked = ""
		r.later(between(r.rng, time.Minute, simYoung), func() {
			if asked {
				r.disk.late = &outcome{hash, Outcome{Kind: RolledBack, Step: stepRelapse, Source: "stored"}}
				r.consider()
			}
		})
	}
}

// deliverLate repeats what became of the accepted hash until it is stored.
func (r *replica) deliverLate() {
	late := r.disk.late
	if r.told == late {
		return
	}
	r.told = late
	r.say(late.Outcome, late.hash, func() {
		if r.disk.late == late {
			r.disk.late = nil
		}
		r.consider()
	})
}

func (w *world) hasSick() bool {
	for _, r := range w.replicas {
		if r.sick {
			return true
		}
	}
	return false
}
