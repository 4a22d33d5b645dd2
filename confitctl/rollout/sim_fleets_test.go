package rollout

import (
	"math/rand/v2"
	"testing"
	"time"
)

// stories are the edits that a fleet meets.
var stories = map[string][]edit{
	"one":         {{at: time.Minute, hash: "B"}},
	"mended":      {{at: time.Minute, hash: "badB"}, {at: 20 * time.Minute, hash: "C"}},
	"reverted":    {{at: time.Minute, hash: "badB"}, {at: 20 * time.Minute, hash: "A"}},
	"back":        {{at: time.Minute, hash: "B"}, {at: 10 * time.Minute, hash: "A"}, {at: 20 * time.Minute, hash: "B"}},
	"two":         {{at: time.Minute, hash: "B"}, {at: 90 * time.Second, hash: "C"}},
	"skipped":     {{at: time.Minute, hash: "B"}, {at: 61 * time.Second, hash: "C"}, {at: 62 * time.Second, hash: "D"}},
	"halves":      {{at: time.Minute, hash: "A'B'", via: [2]string{"AB'", "A'B"}}},
	"bad halves":  {{at: time.Minute, hash: "A'B'", via: [2]string{"badAB'", "A'B"}}},
	"image":       {{at: time.Minute, hash: "B", revision: "r2"}},
	"image later": {{at: time.Minute, hash: "B"}, {at: 5 * time.Minute, hash: "C", revision: "r2"}, {at: 30 * time.Minute, hash: "D"}},
	"many":        {{at: time.Minute, hash: "B"}, {at: time.Hour, hash: "badC"}, {at: 2 * time.Hour, hash: "D"}, {at: 3 * time.Hour, hash: "A"}},
}

var policies = []Policy{
	{1, Parallel{percent: 25}}, {2, Parallel{percent: 50}}, {3, Parallel{percent: 90}},
	{1, Parallel{number: 10}}, {1, Parallel{percent: 100}}, {1, Parallel{percent: 1}},
}

// each plays many fleets of a kind, and says which seeds they had.
func each(t *testing.T, times int, make func(t *testing.T, story []edit, rng *rand.Rand) scenario) {
	n, first := times**lives, *seed
	if first == 0 {
		first = rand.Uint64N(1 << 32)
	} else {
		n = 1
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overlaps, commits := 0, 0
			for i := range n {
				s := make(t, story, rand.New(rand.NewPCG(first+uint64(i), 0)))
				s.seed, s.edits = first+uint64(i), story
				w := tried(t, s)
				overlaps += w.overlaps
				commits += w.commits
			}
			t.Logf("seeds %d to %d: %d updates, %d overlaps", first, first+uint64(n)-1, commits, overlaps)
		})
	}
}

// TestFleetsWithoutFaults: everybody gets there.
func TestFleetsWithoutFaults(t *testing.T) {
	each(t, 1, func(t *testing.T, _ []edit, rng *rand.Rand) scenario {
		p := policies[rng.IntN(5)]
		return scenario{replicas: 1 + rng.IntN(300), policy: p, until: 24 * time.Hour}
	})
}

// TestFleetsWithFaults: messages are lost, pods crash, lose their disk, are
// evicted and cut off. Nobody is in flight without a place, nothing is rejected
// that nobody found bad, and when it is over everybody gets there.
func TestFleetsWithFaults(t *testing.T) {
	each(t, 4, func(t *testing.T, story []edit, rng *rand.Rand) scenario {
		return faulty(rng, story, "crash", "emptied", "evicted", "cut")
	})
}

// TestFleetsThatFreeze: a holder that stands still for longer than its bound
// loses its place. That is the one overlap there is; all else holds.
func TestFleetsThatFreeze(t *testing.T) {
	each(t, 4, func(t *testing.T, story []edit, rng *rand.Rand) scenario {
		s := faulty(rng, story, "frozen", "frozen", "crash", "cut")
		s.mayOverlap = true
		return s
	})
}

func faulty(rng *rand.Rand, story []edit, kinds ...string) scenario {
	s := scenario{
		replicas: 2 + rng.IntN(60), policy: policies[rng.IntN(len(policies))],
		loss: 0.1 * rng.Float64(), until: 100 * time.Hour,
	}
	for range rng.IntN(2 * s.replicas) {
		s.faults = append(s.faults, fault{
			at: story[rng.IntN(len(story))].at + between(rng, 0, 15*time.Minute), replica: rng.IntN(s.replicas), busy: rng.IntN(2) == 0,
			kind: kinds[rng.IntN(len(kinds))], long: between(rng, time.Second, 10*time.Minute),
		})
	}
	return s
}
