package rollout

import (
	"slices"
	"time"
)

// simSoak is for how long an app has to live with what was accepted, and relapseBound how
// long confit may take from a relapse to what it says next: by clocks that run 3 % apart
// that differs by less than the grace.
const (
	simSoak      = 150 * time.Second
	relapseBound = 4*simSoak + 5*time.Minute
	simDeaths    = 2 // so many in a row, and the app is started on the next rung
)

// rung is a generation that was accepted, and what it has proved.
type rung struct {
	hash     string
	asked    bool // a gate was
	since    time.Duration
	started  bool // an app was started on it and survived its probation
	soaked   bool // an app has lived with it for simSoak
	durable  bool // which was started on it
	relapsed bool // the fleet was told so
	told     bool // that it has soaked
}

// taken is what was taken back at step soak. It is tried again after an hour, then 2, 4 … 24.
type taken struct {
	hash  string
	times int
	until time.Duration
}

// top is the hash that was accepted last; "": none.
func (d *disk) top() string {
	if len(d.ladder) == 0 {
		return ""
	}
	return d.ladder[0].hash
}

// accept puts a hash on top. What it has proved before, it has. Below it stay the newest that has soaked, and the
// newest that is durable or, while none is, was started.
func (d *disk) accept(hash string, asked, started bool, now time.Duration) {
	top := rung{hash: hash}
	if i := slices.IndexFunc(d.ladder, func(u rung) bool { return u.hash == hash }); i >= 0 {
		top = d.ladder[i]
		d.ladder = slices.Delete(d.ladder, i, i+1)
	}
	top.asked, top.since, top.relapsed, top.told = asked, now, false, false
	top.started = top.started || started
	soaked := slices.IndexFunc(d.ladder, func(u rung) bool { return u.soaked })
	last := slices.IndexFunc(d.ladder, func(u rung) bool { return u.durable })
	if last < 0 {
		last = slices.IndexFunc(d.ladder, func(u rung) bool { return u.started })
	}
	below := []rung{top}
	for i, u := range d.ladder {
		if i == soaked || i == last {
			below = append(below, u)
		}
	}
	if d.ladder, d.deaths = below, 0; d.taken.hash != hash {
		d.taken = taken{}
	}
}

// rung is the hash of one, counted from the top; "": there is none. The fallback is the last one while nothing is durable.
func (r *replica) rung(n int) string {
	d := &r.disk
	switch is := func(u rung) bool { return u.durable || u.hash == r.fallback }; {
	case n < len(d.ladder):
		return d.ladder[n].hash
	case n == len(d.ladder) && !slices.ContainsFunc(d.ladder, is):
		return r.fallback
	}
	return ""
}

// inForce is the hash that a hook of it finds accepted: of the rung that the app is on.
func (r *replica) inForce() string {
	if len(r.disk.ladder) == 0 {
		return ""
	}
	return r.rung(r.disk.below)
}

// live is the app's life with a rung, from its start or a reload on: it lasts for long, or the app dies.
func (r *replica) live(started bool) {
	r.on, r.started = r.rung(r.disk.below), started
	in, dies := r.dies()
	if !dies {
		in = time.Duration(float64(simSoak) / r.rate)
	}
	r.fate(in, dies)
}

// dies tells whether the app dies of what it has read, and when.
func (r *replica) dies() (in time.Duration, dies bool) {
	asked := slices.ContainsFunc(r.disk.ladder, func(u rung) bool { return u.hash == r.on && u.asked })
	switch {
	case r.started && r.stale:
		r.stale = false
		return between(r.rng, time.Second, 3*time.Second), true
	case r.started && r.w.down, isBad(r.on, r.revision):
		return between(r.rng, time.Second, 3*time.Second), true
	case isLate(r.on):
		return between(r.rng, 5*time.Second, simSoak), true
	case r.sick && asked:
		return between(r.rng, 5*time.Second, 20*time.Second), true
	}
	return 0, false
}

// fate is what happens to the app next, unless something else does before.
func (r *replica) fate(in time.Duration, dies bool) {
	r.turn++
	r.next, r.doomed = r.w.now+in, dies
	r.arm()
}

// arm waits for the fate of the app, also after the end of a gate.
func (r *replica) arm() {
	life, turn := r.life, r.turn
	r.w.after(max(0, r.next-r.w.now), func() {
		r.alive(life, func() {
			switch {
			case r.turn != turn:
			case r.doomed:
				r.die()
			default:
				r.soak()
			}
		})
	})
}

// soak is that the app has lived for long. Below the top that rejects all above.
func (r *replica) soak() {
	r.doomed = false
	d := &r.disk
	r.rejectAbove()
	top := &d.ladder[0]
	if top.soaked = true; r.started {
		top.started, top.durable = true, true
		d.ladder, d.deaths = d.ladder[:1], 0
		if d.taken.hash == top.hash {
			d.taken = taken{}
		}
	}
	r.grow(top.hash)
	r.consider()
}

// rejectAbove rejects all rungs above the one that the app lives on.
func (r *replica) rejectAbove() {
	d := &r.disk
	if d.below == 0 {
		return
	}
	on := rung{hash: r.on, started: true}
	if d.below < len(d.ladder) {
		on = d.ladder[d.below]
	}
	top := d.top()
	for _, u := range d.ladder[:d.below] {
		r.w.say("%s takes %s back: it lives on %s", r.name, u.hash, r.on)
		r.w.verdicts[u.hash] = true
		if u.asked {
			r.put(u.hash, Outcome{Kind: RolledBack, Step: stepSoak, Source: "stored"})
		}
	}
	if d.taken.hash != top {
		d.taken = taken{hash: top}
	}
	pause := min(time.Hour<<min(d.taken.times, 5), 24*time.Hour)
	d.taken.times, d.taken.until = d.taken.times+1, r.w.now+pause
	d.ladder, d.below, d.deaths = []rung{on}, 0, 0
	r.w.after(pause, func() {
		if r.up {
			r.consider()
		}
	})
}

// grow tells that the app has lived with a hash for long since that was accepted, once, when there is nothing else to tell.
func (r *replica) grow(hash string) {
	d := &r.disk
	switch {
	case d.top() != hash || !d.ladder[0].asked || d.ladder[0].told || r.flying != "" || d.below > 0 || r.doomed:
	case len(d.list) > 0:
		r.later(10*time.Second, func() { r.grow(hash) })
	default:
		d.ladder[0].told = true
		r.say(Outcome{Kind: Soaked, Source: sourceMounted}, hash, func() {})
	}
}

// die is an own end of the app. Two in a row of apps that were started on the top lead down the ladder, in the same
// container. Any other is the container's end.
func (r *replica) die() {
	d := &r.disk
	r.doomed = false
	if d.below > 0 {
		r.down()
		return
	}
	top := &d.ladder[0]
	counts := r.started && !top.durable
	if counts && r.rung(1) != "" {
		d.deaths++
	}
	r.w.say("%s dies of %s, started %t, %d times in a row", r.name, top.hash, r.started, d.deaths)
	if top.asked && !top.relapsed && (counts || r.w.now-top.since < simSoak) {
		top.relapsed, top.told = true, false
		r.put(top.hash, Outcome{Kind: Relapsed, Step: stepSoak, Source: "stored"})
	}
	if counts && r.rung(1) != "" && (d.deaths >= simDeaths || d.taken.hash == top.hash) {
		r.down()
	} else {
		r.end()
	}
	r.consider()
}

// end is the container's, when there was time for a report. The kubelet starts it again, later each time.
func (r *replica) end() {
	if r.w.now-r.born > 10*time.Minute {
		r.falls = 0
	}
	pause := min(10*time.Second<<r.falls, 5*time.Minute)
	r.falls = min(r.falls+1, 5)
	r.ending = true
	r.later(2*time.Second, func() { r.crash(between(r.rng, time.Second, pause)) })
}

// down starts the app on the next rung. Below the last one is the top again, in another container. A gate that waits
// meanwhile is ended: what it asked about may be what the app is on now.
func (r *replica) down() {
	d := &r.disk
	if r.asking != "" {
		r.endGate()
		r.decided(r.asking, Outcome{Kind: Superseded})
		r.asking = ""
	}
	if d.below++; r.rung(d.below) != "" {
		r.w.say("%s goes down to %s", r.name, r.rung(d.below))
		r.live(true)
		return
	}
	d.below, d.deaths = 0, 0
	r.end()
}

func (w *world) hasSick() bool {
	return slices.ContainsFunc(w.replicas, func(r *replica) bool { return r.sick })
}
