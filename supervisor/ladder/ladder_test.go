package ladder

import (
	"math/rand/v2"
	"testing"
	"time"

	"confit/linker"
)

const soak = 10 * time.Minute

// walk is a fleet of edits and deaths at random.
type walk struct {
	t      *testing.T
	dice   *rand.Rand
	l      Ladder
	now    time.Time
	number int
	tried  map[linker.Hash]bool // since the app left the top
	deaths int                  // in a row on the top
	late   linker.Hash          // what it died of before
}

func (w *walk) move() *Move { return &Move{&w.l, w.now, soak, w.l.InForce().Inputs == w.late} }

func (w *walk) fails(what string) { w.t.Fatalf("%s: %+v", what, w.l) }

func (w *walk) step() {
	m := w.move()
	switch w.dice.IntN(6) {
	case 0:
		w.number++
		m.Accepted(linker.Generation{Number: w.number, Hash: linker.Hash{byte(1 + w.dice.IntN(5))}}, false)
		m.InForce().Inputs = m.InForce().Hash
		w.deaths = 0
	case 1:
		m.StartedOn(m.InForce().Hash)
	case 2:
		w.now = w.now.Add(time.Duration(w.dice.IntN(900)) * time.Second)
	case 3, 4:
		w.dies()
	case 5:
		w.soaks()
	}
}

// dies ends the app. It is started again, on whatever follows.
func (w *walk) dies() {
	m := w.move()
	if !m.LifeCounts() {
		return
	}
	before, wasDown := *m.InForce(), m.IsDown()
	if before.Durable && !wasDown {
		w.fails("a death counts on what is durable")
	}
	m.Died(false)
	w.deaths++
	if !m.DiedTooOften() {
		m.StartedOn(m.InForce().Hash)
		return
	}
	if !wasDown && w.deaths < maxDeaths && before.Inputs != w.late {
		w.fails("one death leads down")
	}
	if !wasDown {
		w.tried = map[linker.Hash]bool{}
	}
	if w.tried[before.Hash] {
		w.fails("a rung is tried twice")
	}
	if w.tried[before.Hash], w.deaths = true, 0; !m.HasNext() {
		if m.ToTop(); m.IsDown() || m.InForce().Deaths > 0 {
			w.fails("the top is to blame")
		}
	} else {
		m.Down()
	}
	m.StartedOn(m.InForce().Hash)
}

// soaks lets the app live for --soak.
func (w *walk) soaks() {
	m := w.move()
	if !m.HasAccepted() || m.Now.Before(m.SoaksAt) || !m.MaySoak() {
		return
	}
	top := m.Top().Inputs
	if m.IsDown() {
		w.late = top
	}
	if m.Soaked(); m.IsDown() || !m.InForce().Soaked || m.WasTried(linker.Generation{Inputs: top}) {
		w.fails("what is above stays")
	}
	w.deaths = 0
}

// TestWalks: whatever happens in whatever order, what the package promises holds.
func TestWalks(t *testing.T) {
	for seed := range uint64(300) {
		w := &walk{t: t, dice: rand.New(rand.NewPCG(seed, 0)), now: time.Unix(1e9, 0)}
		for range 400 {
			w.step()
		}
	}
}

// TestTakeUp: that a former confit was killed in a life that counts is a death, and in no other.
func TestTakeUp(t *testing.T) {
	published := linker.Trial{Step: linker.StepPublish, Hash: linker.Hash{2}}
	two := func() (l Ladder) {
		for n := range 2 {
			h := linker.Hash{byte(n + 1)}
			(&Move{&l, time.Unix(1e9, 0), soak, false}).Accepted(linker.Generation{Number: n + 1, Hash: h, Inputs: h}, true)
		}
		return l
	}
	for name, c := range map[string]struct {
		killed linker.Trial
		change func(*Ladder)
		died   bool
	}{
		"in a life":           {published, nil, true},
		"in a hook":           {linker.Trial{Step: linker.StepHooks, Hash: linker.Hash{2}}, nil, false},
		"with something else": {linker.Trial{Step: linker.StepPublish, Hash: linker.Hash{3}}, nil, false},
		"on what is durable":  {published, func(l *Ladder) { l.Top().Durable = true }, false},
		"with nothing below":  {published, func(l *Ladder) { l.Rungs[1] = linker.Rung{} }, false},
	} {
		l := two()
		if c.change != nil {
			c.change(&l)
		}
		if got := (&Move{&l, time.Unix(1e9, 0), soak, false}).TakeUp(c.killed); got != c.died || (l.InForce().Deaths == 1) != c.died || l.Counted != c.died {
			t.Errorf("%s: died %v, with %d deaths", name, got, l.InForce().Deaths)
		}
	}
}
