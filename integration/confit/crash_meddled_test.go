package confit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Somebody meddles with the state directory: an entrypoint with `rm -rf /run/*`, another user of the pod, an operator. Each deed is done to
// each name, in each moment of a change. At rest after it the app has what is accepted, all that confit says is true, and the next edit is
// taken.
//
// The seed, which is printed, decides the order: INTEGRATION_SEED gives it again. INTEGRATION_MEDDLED leaves the deeds whose description holds
// a text, and INTEGRATION_MINUTES says how long it takes at length.
//
//	crash_meddled_test.go        which deeds are done, in which order, and that none is left out
//	crash_meddled_deeds_test.go  names, and what is done to them
//	crash_meddled_box_test.go    containers, and the moments in which they are held
//	crash_meddled_rest_test.go   what must hold at rest
//	crash_meddled_app_test.go    the app

// deed is what is done to a name of the state directory in a moment.
type deed struct {
	moment moment
	name   string
	way    string
}

func (d deed) String() string { return fmt.Sprintf("%s: %s %s", d.moment, d.name, d.way) }

// everyDeed is each pair of a moment and of what is done in it, but for those that the environment leaves out.
func everyDeed(moments ...moment) (all []deed) {
	for _, m := range moments {
		for _, name := range meddledNames {
			for _, way := range ways {
				if d := (deed{m, name, way}); strings.Contains(d.String(), os.Getenv("INTEGRATION_MEDDLED")) {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// meddling is what is done in several containers at a time.
type meddling struct {
	all  []deed
	over time.Time     // others than those that are due are done until then
	pace time.Duration // of each container, from one deed to the next: whatever runs beside needs the processors, too

	mu   sync.Mutex
	done map[deed]int
}

// meddle does each deed once, and others until the time is over.
func meddle(t *testing.T, deeds []deed, boxes int, long, pace time.Duration) {
	seed := cmp.Or(fromEnvironment(t, "INTEGRATION_SEED"), rand.Uint64N(1e6))
	t.Logf("INTEGRATION_SEED=%d go test -tags check -parallel 16 ./integration/confit -run '%s$'", seed, t.Name())
	m := &meddling{all: deeds, over: time.Now().Add(long), pace: pace, done: map[deed]int{}}
	due := slices.Clone(deeds)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	t.Run("box", func(t *testing.T) {
		for i := range boxes {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				var own []deed
				for j := i; j < len(due); j += boxes {
					own = append(own, due[j])
				}
				m.inBoxes(t, &agenda{m, own, rand.New(rand.NewPCG(seed, uint64(i+1)))}, i)
			})
		}
	})
	m.tally(t)
}

// agenda is what is done in one container after the other. The seed decides all of it but the time at which it is over.
type agenda struct {
	*meddling
	due  []deed
	rand *rand.Rand
}

func (a *agenda) next() (d deed, more bool) {
	if len(a.due) > 0 {
		d, a.due = a.due[0], a.due[1:]
		return d, true
	}
	return a.all[a.rand.IntN(len(a.all))], time.Now().Before(a.over)
}

// deedsInABox are as many as one container sees. The next one is of the next kind, also after a failure.
const deedsInABox = 20

func (m *meddling) inBoxes(t *testing.T, a *agenda, i int) {
	d, more := a.next()
	for ; more; i++ {
		kind := kinds[i%len(kinds)]
		t.Run(kind.name, func(t *testing.T) {
			b := newMeddled(t, kind, a.rand)
			for n := 0; more && n < deedsInABox; n++ {
				was := d
				d, more = a.next() // by now, as a failure ends the function
				next := time.After(m.pace)
				b.does(was)
				m.count(was)
				<-next
			}
		})
	}
}

func (m *meddling) count(d deed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[d]++
}

// tally fails the test if a deed was left out.
func (m *meddling) tally(t *testing.T) {
	sum := 0
	for _, d := range m.all {
		sum += m.done[d]
		if m.done[d] == 0 {
			t.Errorf("not done, or not to its end: %v", d)
		}
	}
	t.Logf("%d deeds, %d different ones", sum, len(m.done))
}

// fromEnvironment is a number that a variable holds, 0 if there is none.
func fromEnvironment(t *testing.T, variable string) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// Each deed while confit rests. TestMeddled_at_length does each in all moments.
func TestMeddled(t *testing.T) {
	t.Parallel()
	meddle(t, everyDeed(rests), 12, 0, 0)
}
