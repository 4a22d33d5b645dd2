package rollout

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// stories are the edits that a fleet meets.
var stories = map[string][]edit{
	"one":         {{at: time.Minute, hash: "B"}},
	"fixed":       {{at: time.Minute, hash: "badB"}, {at: 20 * time.Minute, hash: "C"}},
	"reverted":    {{at: time.Minute, hash: "badB"}, {at: 20 * time.Minute, hash: "A"}},
	"back":        {{at: time.Minute, hash: "B"}, {at: 10 * time.Minute, hash: "A"}, {at: 20 * time.Minute, hash: "B"}},
	"two":         {{at: time.Minute, hash: "B"}, {at: 90 * time.Second, hash: "C"}},
	"skipped":     {{at: time.Minute, hash: "B"}, {at: 61 * time.Second, hash: "C"}, {at: 62 * time.Second, hash: "D"}},
	"halves":      {{at: time.Minute, hash: "A'B'", via: [2]string{"AB'", "A'B"}}},
	"bad halves":  {{at: time.Minute, hash: "A'B'", via: [2]string{"badAB'", "A'B"}}},
	"image":       {{at: time.Minute, hash: "B", revision: "r2"}},
	"image later": {{at: time.Minute, hash: "B"}, {at: 5 * time.Minute, hash: "C", revision: "r2"}, {at: 30 * time.Minute, hash: "D"}},
	"quick":       {{at: time.Minute, hash: "B"}, {at: 70 * time.Second, hash: "A"}, {at: 80 * time.Second, hash: "B"}, {at: 95 * time.Second, hash: "A"}, {at: 110 * time.Second, hash: "C"}},
	"grows":       {{at: time.Minute, hash: "badB"}, {at: 10 * time.Minute, grow: 20}, {at: 30 * time.Minute, hash: "C"}, {at: 31 * time.Minute, grow: 20}},
	"late":        {{at: time.Minute, hash: "lateB"}, {at: 2 * time.Hour, hash: "C"}},
	"late grows":  {{at: time.Minute, hash: "lateB"}, {at: 5 * time.Minute, grow: 20}, {at: 2 * time.Hour, hash: "A"}},
	"late back":   {{at: time.Minute, hash: "B"}, {at: time.Hour, hash: "lateC"}, {at: 62 * time.Minute, hash: "B"}, {at: 64 * time.Minute, hash: "lateC"}, {at: 3 * time.Hour, hash: "D"}},
	"half":        {{at: time.Minute, hash: "B"}, {at: time.Hour, hash: "r1!C", revision: "r2", half: true}, {at: 70 * time.Minute, hash: "r1!C"}, {at: 3 * time.Hour, hash: "D"}},
	"images": {{at: time.Minute, hash: "badB"}, {at: 20 * time.Minute, hash: "C", revision: "r2", half: true}, {at: 40 * time.Minute, hash: "C", revision: "r3", half: true},
		{at: time.Hour, hash: "r4!C", revision: "r4", half: true}, {at: 80 * time.Minute, hash: "C", revision: "r5", half: true}, {at: 2 * time.Hour, hash: "D"}},
	"many": {{at: time.Minute, hash: "B"}, {at: time.Hour, hash: "badC"}, {at: 2 * time.Hour, hash: "D"}, {at: 3 * time.Hour, hash: "A"}},
}

var policies = []Policy{
	{Canaries: 1, Parallel: Parallel{percent: 25}}, {Canaries: 2, Parallel: Parallel{percent: 50}}, {Canaries: 3, Parallel: Parallel{percent: 90}},
	{Canaries: 1, Parallel: Parallel{number: 10}, Steps: true}, {Canaries: 1, Parallel: Parallel{percent: 100}}, {Canaries: 1, Parallel: Parallel{percent: 1}},
}

// each plays many fleets of a kind with each story.
func each(t *testing.T, times int, make func(t *testing.T, story []edit, rng *rand.Rand) scenario) {
	eachOf(t, stories, times, func(t *testing.T, name string, rng *rand.Rand) scenario { return make(t, stories[name], rng) })
}

// eachOf plays many fleets, and says which seeds they had.
func eachOf(t *testing.T, stories map[string][]edit, times int, make func(t *testing.T, story string, rng *rand.Rand) scenario) {
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
				s := make(t, name, rand.New(rand.NewPCG(first+uint64(i), 0)))
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
		return faulty(rng, story, "crash", "emptied", "evicted", "cut", "reboot")
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
		loss: 0.1 * rng.Float64(), until: 100 * time.Hour, skew: between(rng, -20*time.Second, 20*time.Second),
	}
	for range rng.IntN(3) {
		s.outages = append(s.outages, outage{between(rng, 0, 30*time.Minute), between(rng, 0, 10*time.Minute)})
	}
	for range rng.IntN(2 * s.replicas) {
		s.faults = append(s.faults, fault{
			at: story[rng.IntN(len(story))].at + between(rng, 0, 15*time.Minute), replica: rng.IntN(s.replicas), busy: rng.IntN(2) == 0,
			kind: kinds[rng.IntN(len(kinds))], long: between(rng, time.Second, 10*time.Minute),
		})
	}
	return s
}

// TestFleetsThatLoseHolders: canaries are lost with their node while edits come faster
// than the bound, and the server is away now and then. Each place is given away in time,
// and by twice that if the server's clock is set meanwhile.
func TestFleetsThatLoseHolders(t *testing.T) {
	story := []edit{{at: time.Minute, hash: "B"}}
	for i := range 60 {
		story = append(story, edit{at: 100*time.Second + time.Duration(i)*20*time.Second, hash: fmt.Sprintf("B%d", i)})
	}
	stories := map[string][]edit{"trusted": story, "set": story}
	eachOf(t, stories, 2, func(t *testing.T, name string, rng *rand.Rand) scenario {
		s := scenario{replicas: 3 + rng.IntN(20), policy: policies[0], drift: 0.001, until: 24 * time.Hour}
		s.holdLimit = simBound + 90*time.Second + lookSlack
		s.faults = []fault{{at: 99 * time.Second, busy: true, kind: "gone"}}
		s.outages = []outage{{between(rng, 110*time.Second, 5*time.Minute), between(rng, 0, 5*time.Minute)}}
		if name == "set" {
			s.jump = jump{between(rng, 90*time.Second, 4*time.Minute), between(rng, -time.Hour, time.Hour)}
			s.holdLimit += simBound + 90*time.Second
		}
		return s
	})
}

// lookSlack is how much later somebody looks than he might: one pause, and what the
// next gate takes to come.
const lookSlack = 30 * time.Second

// TestFleetsWithASickNode: all have accepted a good edit. Then the two pods of one node
// find that their apps die of it. The others go on. So they do if one finds that while
// some haven't begun, and in a fleet of a few, where one app has lived on the edit.
func TestFleetsWithASickNode(t *testing.T) {
	edits := []edit{{at: time.Minute, hash: "B"}, {at: 3 * time.Hour, grow: 5}}
	eachOf(t, map[string][]edit{"sick": edits, "one, meanwhile": edits, "one of a few": edits}, 1, func(t *testing.T, name string, rng *rand.Rand) scenario {
		s := scenario{replicas: 300, policy: policies[0], reloads: true, until: 10 * time.Hour}
		switch name {
		case "one, meanwhile":
			s.replicas = 100
			s.faults = []fault{{at: between(rng, 6*time.Minute, 8*time.Minute), replica: rng.IntN(s.replicas), kind: "sick"}}
		case "one of a few":
			s.replicas = 1 + rng.IntN(9)
			s.faults = []fault{{at: between(rng, 30*time.Minute, time.Hour), replica: rng.IntN(s.replicas), kind: "sick"}}
			for range 4 { // it is started again after its hour
				s.faults = append(s.faults, fault{at: between(rng, 2*time.Hour, 9*time.Hour), replica: s.faults[0].replica, kind: "crash"})
			}
		default:
			for i := range 2 {
				s.faults = append(s.faults, fault{at: time.Hour, replica: i, kind: "sick"})
			}
		}
		return s
	})
}
