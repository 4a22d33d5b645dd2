package supervisor

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

var exploreBound = flag.Int("explore", 5000, "how many places TestExplored leaves in each configuration, the nearest first; 0: all")

// TestExplored goes through the places that step can reach in each of a few small
// configurations, whatever happens outside. It says how many there are, and whether
// those are all.
func TestExplored(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // it makes much garbage, and keeps little
	varied, played := map[string]int{}, 0
	for _, may := range settings() {
		t.Run(may.name, func(t *testing.T) {
			began := time.Now()
			bound := *exploreBound
			if bound == 0 {
				bound = 1 << 30
			}
			x := explore(t, may, bound, &varies{rand.New(rand.NewPCG(1, seedOf(may.name))), map[phase]int{}, varied})
			x.mustHoldFromAll()
			t.Logf("%v; %v", x, time.Since(began).Round(time.Millisecond))
			played++
		})
	}
	if played == len(settings()) { // else -run names one
		eachIsVaried(t, varied)
	}
}

// String says how far it came.
func (x *explorer) String() string {
	state := "all of them"
	if x.isCut() {
		state = "cut by the bound"
	}
	return fmt.Sprintf("%-12s %7d places, %8d ways, %s; left %d of them; %d twins compared", x.may.name, len(x.vertices), len(x.edges), state, len(x.ends), len(x.twins))
}

// mustHoldFromAll ends the test where one can't get from a place to what must be within reach.
func (x *explorer) mustHoldFromAll() {
	x.goodIsReached()
	x.stopEnds()
	x.eachIsAcceptable()
	x.twinsAgree()
}

// goodIsReached: from wherever one is, the app comes to be served what is accepted, or
// confit ends; though each candidate turns out to be bad, and nobody helps.
func (x *explorer) goodIsReached() {
	x.mustReach("nothing leads from here to an app that is served what is accepted, nor to the end", false,
		func(v *vertex) bool { return v.good }, func(*vertex) bool { return true })
}

// stopEnds: after TERM the end is reached.
func (x *explorer) stopEnds() {
	x.mustReach("nothing leads from this stop to the end", false,
		func(v *vertex) bool { return v.ended }, func(v *vertex) bool { return v.stopped })
}

// eachIsAcceptable: wherever confit waits for the next edit, each of the two contents can
// come to be accepted: somebody mounts it, and all goes well.
func (x *explorer) eachIsAcceptable() {
	for _, l := range []letter{letterA, letterB} {
		x.mustReach(l.String()+" can't be accepted from here on", true,
			func(v *vertex) bool { return v.serves == l }, func(v *vertex) bool { return v.rests && !v.barred[l] })
	}
}

func (x *explorer) mustReach(wrong string, hurried bool, goal, from func(v *vertex) bool) {
	reaches := x.reaching(goal, hurried)
	for i := range x.vertices {
		if v := &x.vertices[i]; from(v) && !reaches[i] {
			x.t.Fatalf("%s: %s\n%s", x.may.name, wrong, x.path(v.parent, leg{int(v.move), v.choices}))
		}
	}
}

const (
	oneTwinIn   = 200  // twins are compared
	enoughTwins = 1000 // of each configuration
)

// twinsAgree: two places of one canonical form lead to the same. Else the form leaves
// something out that counts.
func (x *explorer) twinsAgree() {
	x.rand.Shuffle(len(x.twins), func(i, j int) { x.twins[i], x.twins[j] = x.twins[j], x.twins[i] })
	x.twins = x.twins[:min(len(x.twins), enoughTwins)]
	for _, twin := range x.twins {
		if int(twin.vertex) >= len(x.ends) {
			continue
		}
		begin := 0
		if twin.vertex > 0 {
			begin = x.ends[twin.vertex-1]
		}
		want, got := map[int32]bool{}, map[int32]bool{}
		for _, e := range x.edges[begin:x.ends[twin.vertex]] {
			want[e.to] = true
		}
		x.leave(twin.place, func(c *course, m int) {
			if c.state.phase == done {
				c.end()
			}
			v, ok := x.known[x.canon.key(&c.place)]
			if !ok {
				v = -1
			}
			if got[v] = true; !want[v] {
				v := &x.vertices[twin.vertex]
				x.t.Errorf("%s: two places count as one, and only one of them leads by %q to\n%s\nthe other place is reached so:\n%s", x.may.name, moves[m].name, &c.place, x.path(v.parent, leg{int(v.move), v.choices}))
			}
		})
		if !maps.Equal(want, got) {
			x.t.Fatalf("%s: two places count as one, and lead to %v and %v", x.may.name, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
		}
	}
}
