package rollout

import (
	"math/rand/v2"
	"time"
)

// simBound is the bound of every change in the simulation.
const simBound = 60 * time.Second

// replica is one pod: its confit, and its gate and report when they run. What
// a crash leaves behind is in disk.
type replica struct {
	w        *world
	name     string
	pod      string // UID
	revision string
	rng      *rand.Rand
	rate     float64       // of its clock
	offset   time.Duration // of its clock
	cutUntil time.Duration // partitioned till then
	frozen   time.Duration // stopped till then, as by the kernel

	life     int // callbacks of an earlier life are dropped
	up       bool
	mounted  string
	flying   string // hash that its app tries
	free     bool   // which it may without a hold
	observer Observer
	sick     bool
	stale    bool // something is left that its app dies of at its next start, once
	gone     bool
	restarts bool          // it takes an edit up by a restart of its app
	starting bool          // its app doesn't run yet
	on       string        // hash that its app was started on or reloaded with
	started  bool          // which of the two
	turn     int           // of its app's fate: what is due of an earlier one is dropped
	doomed   bool          // its app is going to die, and not to live for long
	ending   bool          // its app has died, and it ends
	born     time.Duration // when it was started
	falls    int           // how often its app has died lately
	next     time.Duration // when
	told     *outcome      // what its report hook tells
	fallback string        // what a pod with nothing of its own may start on
	asking   string        // hash that its gate asks about
	disk     disk
}

// disk is the state directory.
type disk struct {
	ladder []rung     // what was accepted, the newest first
	below  int        // which of them the app is on
	deaths int        // in a row, of apps that were started on the first
	taken  taken      // what the app was found to die of late
	barred string     // hash that failed in its probation; tried again when something else was mounted
	list   []*outcome // what must be told before the next gate, in order
	seen   Observer   // of its gates
}

type outcome struct {
	hash string
	Outcome
	open bool // its gate, or its proof, hasn't ended yet
}

// clock is the replica's own monotonic clock.
func (r *replica) clock() time.Duration {
	return r.offset + time.Duration(float64(r.w.now)*r.rate)
}

// later does something after a time of its own clock, if it still lives, and
// not while it is frozen.
func (r *replica) later(d time.Duration, do func()) {
	life := r.life
	r.w.after(time.Duration(float64(d)/r.rate), func() { r.alive(life, do) })
}

func (r *replica) alive(life int, do func()) {
	switch {
	case r.life != life || !r.up:
	case r.w.now < r.frozen:
		r.w.after(r.frozen-r.w.now, func() { r.alive(life, do) })
	default:
		do()
	}
}

// me is what its hooks know.
func (r *replica) me(hash string) Replica {
	return Replica{
		Revision: r.revision, Pod: r.pod, PodName: r.name, Container: "web",
		Hash: hash, Accepted: r.inForce(), Bound: simBound,
	}
}

// request sends something and calls answered with the answer, or retry after a
// timeout.
func (r *replica) request(send func(done func(func())), retry func()) {
	life, open := r.life, true
	send(func(do func()) {
		r.alive(life, func() {
			if open {
				open = false
				do()
			}
		})
	})
	r.later(10*time.Second, func() {
		if open {
			open = false
			retry()
		}
	})
}

// start is the beginning of a life: on what is mounted if the disk is empty,
// else with the gate's leave, else on what is stored.
func (r *replica) start() {
	if r.gone {
		return
	}
	r.life++
	r.up, r.flying, r.asking, r.told, r.starting, r.ending, r.born = true, "", "", nil, true, false, r.w.now
	d := &r.disk
	for _, o := range d.list {
		o.open = false
	}
	r.w.say("%s starts; mounted %s, accepted %q, below %d", r.name, r.mounted, d.top(), d.below)
	switch first := d.top() == "" && (r.fallback == "" || r.fallback == r.mounted); {
	case first && isBad(r.mounted, r.revision):
		r.crash(between(r.rng, 10*time.Second, time.Minute)) // and again, until it is fixed
	case first:
		d.accept(r.mounted, false, true, r.w.now)
		r.begin()
		r.say(Outcome{Kind: Accepted, Source: sourceMounted}, r.mounted, r.consider)
	case d.below == 0 && len(d.list) == 0 && r.wants():
		r.ask()
	case d.top() != "" || r.resort():
		r.begin()
		r.consider()
	}
}

// begin starts the app on the rung that it is on.
func (r *replica) begin() {
	r.starting = false
	r.live(true)
}

// wants reports that what is mounted is to be tried. What a start died of is tried by a start.
func (r *replica) wants() bool {
	d := &r.disk
	switch r.mounted {
	case d.top(), d.barred:
		return false
	case d.taken.hash:
		return r.w.now >= d.taken.until && (r.starting || r.restarts)
	}
	return true
}

// resort starts a pod that may not go on with what is mounted on its fallback. If that is
// worse, it goes on nonetheless. false: neither will do.
func (r *replica) resort() bool {
	switch {
	case !isBad(r.fallback, r.revision):
		r.disk.accept(r.fallback, false, true, r.w.now)
	case !isBad(r.mounted, r.revision):
		r.disk.accept(r.mounted, false, true, r.w.now)
	default:
		r.crash(between(r.rng, 10*time.Second, time.Minute))
		return false
	}
	r.w.say("%s starts on %s; its fallback is %s", r.name, r.disk.top(), r.fallback)
	return true
}

// consider looks at what there is to do.
func (r *replica) consider() {
	switch {
	case r.due() != nil:
		r.deliver()
	case r.flying != "" || r.asking != "" || r.ending:
	case r.disk.below > 0 && r.mounted == r.inForce(): // no gate is asked about that
		r.rejectAbove()
		r.consider()
	case r.wants():
		r.ask()
	}
}

// mount is what the kubelet does. A gate that waits is superseded.
func (r *replica) mount(hash string) {
	if hash == r.mounted {
		return
	}
	r.mounted = hash
	r.w.say("%s has %s mounted", r.name, hash)
	if r.disk.barred != hash {
		r.disk.barred = ""
	}
	if r.up && r.asking != "" {
		r.endGate() // by TERM, wherever it is
		r.finish(Superseded, "")
	} else if r.up {
		r.later(0, r.consider)
	}
}

// crash ends a life; another begins after a while.
func (r *replica) crash(down time.Duration) {
	r.w.say("%s ends", r.name)
	r.up, r.flying = false, ""
	r.life++
	r.w.after(down, r.start)
}
