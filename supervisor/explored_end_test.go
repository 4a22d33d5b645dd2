//go:build check

package supervisor

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"
)

var exploreSeed = flag.Uint64("seed", 1, "of the walks beyond the places that TestExplored_to_the_end leaves")

const (
	// mostPlaces bounds the memory: the largest settings have more places.
	mostPlaces = 500_000
	// placesOfPairs is how many places are left in each setting that is generated; as many again lie around its walks.
	placesOfPairs = 10_000
	// atOnce is how many settings are explored at a time.
	atOnce = 2
	// memoryLimit is from where on the collector works harder.
	memoryLimit = 4 << 30
)

// TestExplored_to_the_end leaves all places of most settings by hand. Of the others it leaves mostPlaces or placesOfPairs, and
// goes on from some of those that are left over by walks at random, which are the same in each run.
func TestExplored_to_the_end(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(memoryLimit), debug.SetGCPercent(200)
	t.Cleanup(func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) })
	turns := make(chan struct{}, atOnce)
	for i, may := range settings() {
		t.Run(may.name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			bound, walks := mostPlaces, 400
			if i >= len(byHand) {
				bound, walks = placesOfPairs, placesOfPairs/placesAround
			}
			began := time.Now()
			x := explore(t, may, bound, nil)
			x.mustHoldFromAll()
			beyond := 0
			if x.isCut() {
				beyond = x.sample(rand.New(rand.NewPCG(*exploreSeed, seedOf(may.name))), walks)
			}
			t.Logf("%v; %d moves and places beyond, -seed %d; %v", x, beyond, *exploreSeed, time.Since(began).Round(time.Millisecond))
		})
	}
}

// How much of what the bound has cut is looked at in a walk.
const (
	movesOfWalk  = 60
	placesAround = 500
)

// sample walks on from places that the bound has cut, and explores what is around the end of each walk. It returns
// how many moves and places that were.
func (x *explorer) sample(dice *rand.Rand, walks int) (sampled int) {
	for range walks {
		v := len(x.ends) + dice.IntN(len(x.waiting)-len(x.ends))
		if x.waiting[v].ends() && dice.IntN(endsIn) > 0 {
			continue
		}
		around := newExplorer(x.t, x.may)
		around.before = x.legs(int32(v))
		c := &course{place: *x.waiting[v], config: x.config, may: x.may}
		for n := dice.IntN(movesOfWalk); n > 0 && c.state.shown() != done; n-- {
			c = around.wander(c.place, dice)
			sampled++
		}
		around.arrive(c, nowhere, asFound)
		around.goOn(placesAround)
		around.mustHoldFromAll()
		sampled += len(around.ends)
	}
	return sampled
}

// endsIn is how rarely a walk begins near the end of confit, or takes a move that leads there: little is beyond.
const endsIn = 300

// wander makes one move at random. There is always one: a hint may come.
func (x *explorer) wander(from place, dice *rand.Rand) *course {
	for {
		m := dice.IntN(len(moves))
		c := &course{place: from, config: x.config, may: x.may, dice: dice}
		if !moves[m].can(c) {
			continue
		}
		moves[m].do(c)
		if c.ends() && !from.ends() && dice.IntN(endsIn) > 0 {
			continue
		}
		x.mustHold(c, nowhere, m)
		x.before = append(x.before, leg{m, string(c.choices)})
		c.choices, c.among, c.taken = nil, nil, 0
		return c
	}
}

// ends reports that confit ends soon, or has ended.
func (p *place) ends() bool { return p.stopped || p.state.isEnding() || p.state.shown() == done }
