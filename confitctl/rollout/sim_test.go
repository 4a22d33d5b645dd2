package rollout

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	seed  = flag.Uint64("seed", 0, "play only this seed; 0: as many as -lives says, from a new one")
	lives = flag.Int("lives", 1, "how many random fleets to play for each story; some tests play four times as many")
)

// scenario is what the world does to a fleet. It can be made smaller.
type scenario struct {
	seed       uint64
	replicas   int
	policy     Policy
	loss       float64       // share of messages that are lost
	drift      float64       // how much faster or slower the replicas' clocks run, at most
	skew       time.Duration // between the two servers' clocks
	jump       jump
	outages    []outage
	blackouts  []blackout
	holdLimit  time.Duration // no hold may last longer while others look; 0: that isn't looked at
	edits      []edit
	faults     []fault
	until      time.Duration
	mayOverlap bool
	innocent   bool // nothing that is accepted is taken back
	reloads    bool // no edit restarts an app
	transcript bool
}

// edit changes what is mounted in all pods, each within a minute. Via is what
// half of them see first when two volumes change.
type edit struct {
	at       time.Duration
	hash     string
	via      [2]string
	revision string // not "": every pod is replaced, one by one
	half     bool   // every other pod is
	grow     int    // so many pods are added, and nothing is edited
}

// jump is when the servers' clocks are set.
type jump struct{ at, by time.Duration }

// outage is when no server answers.
type outage struct{ at, long time.Duration }

// fault happens to one replica.
type fault struct {
	at      time.Duration
	replica int
	busy    bool // rather one that has something in flight
	kind    string
	long    time.Duration
}

// play runs a scenario to its end.
func play(s scenario) *world {
	w := &world{scenario: s, verdicts: map[string]bool{}, promises: newPromises()}
	for range s.replicas {
		w.add("r1", "A")
	}
	for _, e := range s.edits {
		w.after(e.at, func() { w.edit(e) })
	}
	for _, f := range s.faults {
		w.after(f.at, func() { w.fault(f) })
	}
	for _, b := range s.blackouts {
		w.after(b.at, func() { w.black(b) })
	}
	w.run(s.until)
	if w.broken == "" {
		w.checkEnd()
	}
	return w
}

func (w *world) edit(e edit) {
	w.say("EDIT %s", e.hash)
	for range e.grow {
		newest := w.replicas[len(w.replicas)-1]
		w.add(newest.revision, newest.mounted)
	}
	for i, r := range w.replicas {
		first, second := between(r.rng, 0, time.Minute), between(r.rng, 0, time.Minute)
		if e.grow > 0 || e.half && i%2 == 0 {
			continue
		}
		if e.revision != "" {
			w.after(time.Duration(i)*time.Second, func() { r.replace(e.revision, e.hash) })
			continue
		}
		if via := e.via[i%2]; via != "" {
			w.after(min(first, second), func() { r.mount(via) })
		}
		w.after(max(first, second), func() { r.mount(e.hash) })
	}
}

// add starts one more pod.
func (w *world) add(revision, hash string) {
	i := w.born
	w.born++
	rng := rand.New(rand.NewPCG(w.scenario.seed, uint64(i)))
	drift := cmp.Or(w.scenario.drift, 0.03)
	r := &replica{
		w: w, name: fmt.Sprintf("web-%d", i), pod: w.newUID(), revision: revision,
		mounted: hash, fallback: w.snapshot.hash, rng: rng, rate: 1 - drift + 2*drift*rng.Float64(), offset: between(rng, 0, 1000*time.Hour),
	}
	r.restarts = i%2 == 1 && !w.scenario.reloads
	w.replicas = append(w.replicas, r)
	w.after(between(rng, 0, 10*time.Second), r.start)
}

// isBad reports that no app of a revision survives its probation with a hash.
func isBad(hash, revision string) bool {
	return strings.HasPrefix(hash, "bad") || strings.HasPrefix(hash, revision+"!")
}

// isLate reports that every app dies of a hash, but only after its probation.
func isLate(hash string) bool { return strings.HasPrefix(hash, "late") }

// replace is what a Deployment does: another pod, with nothing on its disk.
func (r *replica) replace(revision, hash string) {
	r.revision, r.mounted = revision, hash
	r.renew()
	r.crash(between(r.rng, time.Second, 10*time.Second))
}

// renew makes another pod of it.
func (r *replica) renew() {
	r.disk, r.fallback = disk{}, r.w.snapshot.hash
	r.pod = r.w.newUID()
	r.name += "'"
}

// busy is a replica with something in flight, if there is one.
func (w *world) busy(otherwise *replica) *replica {
	for _, r := range w.replicas {
		if r.flying != "" {
			return r
		}
	}
	return otherwise
}

func (w *world) newUID() string {
	w.uids++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", w.scenario.seed, w.uids)
}

func (w *world) fault(f fault) {
	r := w.replicas[f.replica%len(w.replicas)]
	if f.busy {
		r = w.busy(r)
	}
	w.say("FAULT %s of %s for %s", f.kind, r.name, f.long)
	switch f.kind {
	case "crash":
		r.crash(f.long % (20 * time.Second))
	case "emptied": // the container restarts, and nothing was kept
		r.disk = disk{}
		r.crash(f.long % (20 * time.Second))
	case "evicted":
		r.renew()
		r.crash(f.long % (20 * time.Second))
	case "cut":
		r.cutUntil = w.now + f.long
	case "frozen":
		r.frozen = w.now + f.long
	case "reboot": // the clock of its node begins anew
		r.offset = -time.Duration(float64(w.now) * r.rate)
		r.disk.seen = Observer{}
		r.crash(f.long % (20 * time.Second))
	case "sick": // from now on its app dies of whatever is new
		r.sick = true
		if r.up && r.flying == "" && !r.starting {
			r.live(r.started)
		}
	case "stale": // something that its app leaves behind keeps it from starting, once
		r.stale = true
		r.crash(f.long % (20 * time.Second))
	case "gone": // with its node, for good
		r.crash(0)
		r.gone = true
		w.replicas = slices.DeleteFunc(w.replicas, func(o *replica) bool { return o == r })
	}
}

// tried plays a scenario, and reports the smallest that fails in the same way.
func tried(t *testing.T, s scenario) *world {
	t.Helper()
	w := play(s)
	if w.broken != "" {
		small := shrink(s)
		small.transcript = true
		t.Fatalf("seed %d: %s\nsmallest: %d replicas, %d edits, %d faults:\n%s", s.seed, w.broken,
			small.replicas, len(small.edits), len(small.faults), play(small).log.String())
	}
	return w
}

// shrink leaves out what the failure doesn't need, as far as 300 games show.
func shrink(s scenario) scenario {
	games := 300
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range s.smaller() {
			if games--; games < 0 {
				return s
			}
			if play(candidate).broken != "" {
				s, smaller = candidate, true
				break
			}
		}
	}
	return s
}

func (s scenario) smaller() (all []scenario) {
	for _, n := range []int{s.replicas / 2, s.replicas - 1} {
		if n >= 1 {
			c := s
			c.replicas = n
			all = append(all, c)
		}
	}
	if s.loss > 0 {
		c := s
		c.loss = 0
		all = append(all, c)
	}
	for i := range s.faults {
		c := s
		c.faults = slices.Delete(slices.Clone(s.faults), i, i+1)
		all = append(all, c)
	}
	for i := range s.outages {
		c := s
		c.outages = slices.Delete(slices.Clone(s.outages), i, i+1)
		all = append(all, c)
	}
	for i := range s.edits {
		c := s
		c.edits = slices.Delete(slices.Clone(s.edits), i, i+1)
		all = append(all, c)
	}
	return all
}
