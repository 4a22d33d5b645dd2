package rollout

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// blackout is when no app can start, as what they all need is away.
type blackout struct {
	outage
	amid bool // its end waits for a moment in which some app is on a lower rung, for up to an hour; else for one in which none is to die of it
}

// black begins an outage of what the apps need. Half of those that run die of it, too.
func (w *world) black(b blackout) {
	w.say("OUTAGE")
	w.down = true
	for _, r := range w.replicas {
		if r.up && r.flying == "" && !r.starting && r.rng.IntN(2) == 0 {
			r.fate(between(r.rng, time.Second, 30*time.Second), true)
		}
	}
	w.after(b.long, func() { w.light(b) })
}

// light ends it.
func (w *world) light(b blackout) {
	isDoomed := func(r *replica) bool { return r.up && r.doomed }
	isBelow := func(r *replica) bool { return r.up && r.disk.below > 0 }
	waits := slices.ContainsFunc(w.replicas, isDoomed) || slices.ContainsFunc(w.replicas, isBelow)
	if b.amid {
		waits = !slices.ContainsFunc(w.replicas, isBelow) && w.now < b.at+b.long+time.Hour
	}
	if waits {
		w.after(100*time.Millisecond, func() { w.light(b) })
		return
	}
	w.say("it is over")
	w.down = false
	for _, r := range w.replicas {
		if isBelow(r) {
			r.live(true)
		}
	}
}

// TestFleetsOfInnocents: what nobody dies of isn't taken back by anybody, and all get there. No app can start for
// minutes beside an edit, or single starts fail, each once.
func TestFleetsOfInnocents(t *testing.T) {
	edits := []edit{{at: time.Minute, hash: "B"}}
	eachOf(t, map[string][]edit{"outage": edits, "one start": edits, "one start each": edits}, 4, func(t *testing.T, name string, rng *rand.Rand) scenario {
		s := scenario{replicas: 1 + rng.IntN(30), policy: policies[rng.IntN(len(policies))], innocent: true, until: 24 * time.Hour}
		switch name {
		case "outage": // who is started on an edit in it fails, as any candidate
			s.reloads = true
			s.blackouts = []blackout{{outage: outage{between(rng, 0, 10*time.Minute), between(rng, 2*time.Minute, 15*time.Minute)}}}
		case "one start":
			s.faults = []fault{{at: between(rng, 0, 20*time.Minute), replica: rng.IntN(s.replicas), kind: "stale"}}
		default:
			for i := range s.replicas {
				s.faults = append(s.faults, fault{at: between(rng, 0, 20*time.Minute), replica: i, kind: "stale", long: between(rng, 0, time.Minute)})
			}
		}
		return s
	})
}

// TestFleetsInTheWrongMinute: an outage ends when some apps have just been started on a lower rung, and live there. These
// say that the edit is to blame. If it is proved, one such app takes nothing from the others, and tries it again when it is
// started after an hour.
func TestFleetsInTheWrongMinute(t *testing.T) {
	edits := []edit{{at: time.Minute, hash: "B"}}
	eachOf(t, map[string][]edit{"soon": edits, "proved": edits}, 4, func(t *testing.T, name string, rng *rand.Rand) scenario {
		s := scenario{replicas: 2 + rng.IntN(30), policy: policies[rng.IntN(len(policies))], reloads: true, until: 24 * time.Hour}
		at := between(rng, 0, 5*time.Minute)
		if name == "proved" {
			at = between(rng, time.Hour, 2*time.Hour)
		}
		s.blackouts = []blackout{{outage{at, between(rng, 2*time.Minute, 15*time.Minute)}, true}}
		for i := range s.replicas {
			s.faults = append(s.faults, fault{at: 10*time.Hour + between(rng, 0, time.Hour), replica: i, kind: "crash"})
		}
		return s
	})
}
