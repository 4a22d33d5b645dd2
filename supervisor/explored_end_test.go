//go:build check

package supervisor

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"
)

var exploreSeed = flag.Uint64("seed", 0, "of the walks beyond the places that TestExplored_to_the_end leaves; 0: the date is the seed")

const (
	// mostPlaces bounds the memory: the largest configurations have more places.
	mostPlaces = 500_000
	// atOnce is how many configurations are explored at a time.
	atOnce = 2
	// memoryLimit is from where on the collector works harder.
	memoryLimit = 4 << 30
)

// TestExplored_to_the_end leaves all places of most configurations. Of the others it leaves mostPlaces, and goes on
// from some of those that are left over by walks at random.
func TestExplored_to_the_end(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(memoryLimit), debug.SetGCPercent(200)
	t.Cleanup(func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) })
	seed := *exploreSeed
	if seed == 0 {
		day := time.Now().UTC()
		seed = uint64(day.Year()*10000 + int(day.Month())*100 + day.Day())
	}
	t.Logf("-seed %d", seed)
	turns := make(chan struct{}, atOnce)
	for i := range settings {
		may := &settings[i]
		t.Run(may.name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			began := time.Now()
			x := explore(t, may, mostPlaces)
			x.mustHoldFromAll()
			beyond := 0
			if x.isCut() {
				beyond = x.sample(rand.New(rand.NewPCG(seed, uint64(i))))
			}
			t.Logf("%v; %d moves and places beyond, -seed %d; %v", x, beyond, seed, time.Since(began).Round(time.Millisecond))
		})
	}
}

// How much of what the bound has cut is looked at.
const (
	walks        = 400
	movesOfWalk  = 60
	placesAround = 500
)

// sample walks on from places that the bound has cut, and explores what is around the end of each walk. It returns
// how many moves and places that were.
func (x *explorer) sample(dice *rand.Rand) (sampled int) {
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
