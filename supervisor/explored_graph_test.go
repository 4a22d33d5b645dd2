package supervisor

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"confit/config"
)

// explorer finds all places that can be reached from the start, each once, the nearest
// first.
type explorer struct {
	t        *testing.T
	may      *setting
	config   *config.Config
	known    map[[16]byte]int32
	vertices []vertex
	waiting  []*place // by vertex; nil: it was left already
	edges    []edge   // from the first vertex, from the second…
	ends     []int    // where the edges of each vertex end
	choices  map[string]string
	twins    []twin
	rand     *rand.Rand
	canon    canon
	course   course  // the one that is taken, again and again: it is too large to be garbage
	before   []leg   // the walk to the first vertex, if there was one
	asks     bool    // what confit does on each course
	varies   *varies // nil: nothing is varied
}

// vertex is a place, and how it was reached first.
type vertex struct {
	parent  int32
	move    int8
	good    bool // the app is served, or that is the end
	ended   bool
	stopped bool
	rests   bool             // confit waits for the next edit, and may take it
	serves  letter           // what the app is served, if that is accepted
	barred  [backup + 1]bool // what only a start would try again
	choices string
}

// edge leads to a vertex.
type edge struct {
	to      int32
	hurried bool
}

// twin is a place that counts as one that was known.
type twin struct {
	vertex int32
	place  *place
}

// The first vertex has no other before it, and a move of its own: confit was started, or a walk has led there.
const (
	nowhere = int32(-1)
	asBegun = -1
	asFound = -2
)

func newExplorer(t *testing.T, may *setting) *explorer {
	return &explorer{
		t: t, may: may, config: &may.config, known: map[[16]byte]int32{}, choices: map[string]string{},
		rand: rand.New(rand.NewPCG(1, 2)), canon: canon{writers: map[reflect.Type]writer{}, oldest: oldest(&may.config)},
	}
}

// explore goes through all places, until the bound cuts it.
func explore(t *testing.T, may *setting, bound int, v *varies) *explorer {
	x := newExplorer(t, may)
	x.varies = v
	x.begin()
	x.goOn(bound)
	return x
}

// begin arrives at all places where confit may begin.
func (x *explorer) begin() {
	for c := (&course{}); ; {
		*c = course{place: x.may.start(), config: x.config, may: x.may, choices: c.choices, among: c.among}
		c.begin()
		x.arrive(c, nowhere, asBegun)
		if !c.another() {
			break
		}
	}
}

// goOn leaves the places that are known and those that it finds, the nearest first.
func (x *explorer) goOn(bound int) {
	for at := len(x.ends); at < len(x.vertices) && at < bound; at++ {
		from := x.waiting[at]
		x.waiting[at] = nil
		x.mustNotMatter(from, at)
		x.leave(from, func(c *course, m int) { x.edges = append(x.edges, edge{x.arrive(c, int32(at), m), c.hurried}) })
		x.ends = append(x.ends, len(x.edges))
	}
}

// leave takes each course from a place.
func (x *explorer) leave(from *place, arrive func(c *course, m int)) {
	if from.state.shown() == done && !x.may.kills {
		return
	}
	c := &x.course
	for m := range moves {
		for c.choices, c.among = c.choices[:0], c.among[:0]; ; {
			*c = course{place: *from, config: x.config, may: x.may, choices: c.choices, among: c.among}
			if x.asks {
				c.did = []string{}
			}
			if from.state.shown() == done && moves[m].name != "confit is killed" || !moves[m].can(c) {
				break
			}
			moves[m].do(c)
			arrive(c, m)
			if !c.another() {
				break
			}
		}
	}
}

// mustHold ends the test where an invariant is broken after a move from a vertex.
func (x *explorer) mustHold(c *course, from int32, m int) {
	c.phaseWaits()
	c.agrees()
	c.endsAsItFailed()
	if c.broken != "" {
		x.t.Fatalf("%s: %s\n%s", x.may.name, c.broken, x.path(from, leg{m, string(c.choices)}))
	}
	if c.state.shown() == done {
		c.end()
	}
}

// arrive notes where a course has led, and returns the vertex.
func (x *explorer) arrive(c *course, parent int32, m int) int32 {
	x.mustHold(c, parent, m)
	key := x.canon.key(&c.place)
	if v, ok := x.known[key]; ok {
		if x.rand.IntN(oneTwinIn) == 0 {
			copied := c.place
			x.twins = append(x.twins, twin{v, &copied})
		}
		return v
	}
	v := int32(len(x.vertices))
	x.known[key] = v
	choices := string(c.choices)
	if x.choices[choices] == "" {
		x.choices[choices] = choices
	}
	found := vertex{parent: parent, move: int8(m), good: c.isGood(), ended: c.state.shown() == done, stopped: c.stopped, choices: x.choices[choices]}
	takesNone := c.unread && len(c.config.Gate) > 0
	found.rests = c.state.shown() == running && !c.isPlain() && !c.stopped && !c.zombie && !takesNone
	if found.good && found.rests && !c.state.isUnproved() {
		found.serves = c.accepted()
	}
	if !x.may.startsAgain() {
		found.barred = c.barred()
	}
	c.barLike(&found.barred)
	x.vertices = append(x.vertices, found)
	copied := c.place
	x.waiting = append(x.waiting, &copied)
	return v
}

// reaching returns which vertices a goal can be reached from, by edges that count. What
// the bound has cut is a goal.
func (x *explorer) reaching(goal func(v *vertex) bool, hurried bool) []bool {
	first := make([]int32, len(x.vertices)+1)
	x.eachEdge(hurried, func(_, to int32) { first[to+1]++ })
	for i := range x.vertices {
		first[i+1] += first[i]
	}
	from, next := make([]int32, first[len(x.vertices)]), slices.Clone(first)
	x.eachEdge(hurried, func(f, to int32) {
		from[next[to]] = f
		next[to]++
	})
	reaches := make([]bool, len(x.vertices))
	var todo []int32
	for v := range x.vertices {
		if goal(&x.vertices[v]) || v >= len(x.ends) {
			reaches[v], todo = true, append(todo, int32(v))
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, f := range from[first[v]:first[v+1]] {
			if !reaches[f] {
				reaches[f], todo = true, append(todo, f)
			}
		}
	}
	return reaches
}

// eachEdge lists the edges, those that are hurried only if they are wanted.
func (x *explorer) eachEdge(hurried bool, do func(from, to int32)) {
	at := 0
	for v, end := range x.ends {
		for ; at < end; at++ {
			if hurried || !x.edges[at].hurried {
				do(int32(v), x.edges[at].to)
			}
		}
	}
}

// isCut reports that the bound has cut the exploration.
func (x *explorer) isCut() bool { return len(x.ends) < len(x.vertices) }
