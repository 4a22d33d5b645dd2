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
	gone     bool
	told     *outcome // what its report hook tells
	fallback string   // what a pod with nothing of its own may start on
	asking   string   // hash that its gate asks about
	disk     disk
}

// disk is the state directory.
type disk struct {
	accepted string
	barred   string   // hash that the app was found to die of; tried again when something else was mounted
	due      *outcome // report that must be delivered before the next gate
	late     *outcome // what became of what it accepted, the same
	asked    string   // hash that a gate was asked about and that was accepted then
	earlier  string   // what it accepted before
	relapses int
	settled  bool
	seen     Observer // of its gates
}

type outcome struct {
	hash string
	Outcome
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
		Hash: hash, Accepted: r.disk.accepted, Bound: simBound,
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
	r.up, r.flying, r.asking, r.told = true, "", "", nil
	r.w.say("%s starts; mounted %s, accepted %q", r.name, r.mounted, r.disk.accepted)
	switch {
	case r.disk.accepted == "" && r.fallback != "" && r.fallback != r.mounted && r.disk.due == nil:
		r.ask(true)
	case r.disk.accepted == "" && r.fallback != "" && r.fallback != r.mounted:
		if r.resort() {
			r.consider()
		}
	case r.disk.accepted == "" && isBad(r.mounted, r.revision):
		r.crash(between(r.rng, 10*time.Second, time.Minute)) // and again, until it is mended
	case r.disk.accepted == "":
		r.disk.accepted = r.mounted
		r.live()
		r.say(Outcome{Kind: Accepted, Source: sourceMounted}, r.mounted, r.consider)
	case r.disk.due == nil && r.disk.late == nil && r.mounted != r.disk.accepted && r.mounted != r.disk.barred:
		r.ask(true)
	default:
		r.live()
		r.consider()
	}
}

// resort starts a pod that may not go on with what is mounted on its fallback. If that is
// worse, it goes on nonetheless. false: neither will do.
func (r *replica) resort() bool {
	switch {
	case !isBad(r.fallback, r.revision):
		r.disk.accepted = r.fallback
	case !isBad(r.mounted, r.revision):
		r.disk.accepted = r.mounted
	default:
		r.crash(between(r.rng, 10*time.Second, time.Minute))
		return false
	}
	r.w.say("%s starts on %s; its fallback is %s", r.name, r.disk.accepted, r.fallback)
	r.live()
	return true
}

// consider looks at what there is to do.
func (r *replica) consider() {
	switch {
	case r.flying != "" || r.asking != "":
	case r.disk.due != nil:
		r.deliver()
	case r.disk.late != nil:
		r.deliverLate()
	case r.mounted != r.disk.accepted && r.mounted != r.disk.barred:
		r.ask(false)
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
		r.life++ // the gate is ended by TERM, wherever it is
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
