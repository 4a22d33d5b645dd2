package sync

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	seed  = flag.Uint64("seed", 0, "play this fleet alone")
	lives = flag.Int("lives", 100, "how many fleets are played")
)

// TestFleets plays fleets at random: kubelets that are slow, need to be asked twice, or bring the keys by themselves; pods that
// come, go, restart, can't be told of, wait at a gate or reject.
func TestFleets(t *testing.T) {
	t.Parallel()
	if *seed != 0 {
		play(t, *seed)
		return
	}
	for range *lives {
		play(t, rand.Uint64())
	}
}

// world is a fleet, and what it knows of itself.
type world struct {
	t     *testing.T
	seed  uint64
	r     *rand.Rand
	waves Waves
	now   time.Time
	pods  []Pod
	made  int
	bad   bool // one of them will reject

	asks   map[string][]time.Time
	proved bool // one was seen to have accepted
	most   int  // pods at once
}

func play(t *testing.T, seed uint64) {
	w := &world{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 1)), now: start, asks: map[string][]time.Time{}}
	w.bad = w.r.IntN(3) == 0
	w.waves.AtOnce = w.r.IntN(8) == 0
	for range 1 + w.r.IntN(20) {
		w.add(Missing)
	}
	for range 800 {
		w.look()
		w.live()
		w.now = w.now.Add(time.Duration(w.r.IntN(1000)) * time.Millisecond)
	}
	for _, p := range w.pods {
		if p.State != Accepted && !w.waves.rejected {
			w.fail("%s is still in state %d", p.Name, p.State)
		}
	}
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("-seed %d, at %v: %s", w.seed, w.now.Sub(start), fmt.Sprintf(format, args...))
}

func (w *world) add(s State) {
	w.made++
	p := Pod{Name: fmt.Sprintf("p%03d", w.made), UID: fmt.Sprint(w.made), Group: []string{"a", "b"}[w.r.IntN(2)], State: s}
	p.Gate = p.Group == "b" && w.seed%3 == 0
	w.pods = append(w.pods, p)
	w.most = max(w.most, len(w.pods))
}

// look lets the machine see the fleet, and holds what it promises.
func (w *world) look() {
	rejected := w.waves.rejected
	for _, p := range w.pods {
		w.proved = w.proved || p.State == Accepted
		rejected = rejected || p.State == Rejected
	}
	d := w.waves.Step(w.now, w.pods)
	if rejected && (len(d.Ask) > 0 || len(d.Wave) > 0 || d.Next != 0) {
		w.fail("one has rejected, and %v are asked", d.Ask)
	}
	for _, p := range d.Wave {
		if p.State == Accepted || p.State == Coming {
			w.fail("%s goes in a wave in state %d", p.Name, p.State)
		}
	}
	for _, p := range d.Ask {
		times := w.asks[p.UID]
		if p.State != Missing && p.State != Unknown {
			w.fail("%s is asked in state %d", p.Name, p.State)
		}
		if n := len(times); n > 0 && w.now.Sub(times[n-1]) < min(again<<(n-1), againMost) {
			w.fail("%s is asked again after %v", p.Name, w.now.Sub(times[n-1]))
		}
		w.asks[p.UID] = append(times, w.now)
	}
	w.holdWaves(d)
}

// holdWaves: one alone at first, then a quarter, of those that have no gate.
func (w *world) holdWaves(d Decision) {
	if w.waves.AtOnce {
		return
	}
	waiting := 0
	for _, p := range w.pods {
		if gated := p.Gate || w.waves.gates[p.Group]; !gated && w.asks[p.UID] != nil && p.State != Accepted {
			waiting++
		}
	}
	if most := quarter(w.most); waiting > most || (!w.proved && waiting > 1) {
		w.fail("%d pods wait for a verdict, with %v just asked; proved: %v", waiting, d.Wave, w.proved)
	}
}

// live lets time pass for the pods.
func (w *world) live() {
	for i := range w.pods {
		p := &w.pods[i]
		switch asks := w.asks[p.UID]; p.State {
		case Missing:
			if (len(asks) > 0 && w.r.IntN(3) == 0) || w.r.IntN(300) == 0 {
				p.State = OnItsWay
				if p.Gate {
					p.State = Gated
				}
			}
		case OnItsWay, Gated:
			if w.r.IntN(6) == 0 {
				p.State = Accepted
				if w.bad && w.r.IntN(5) == 0 {
					p.State = Rejected
				}
			}
		case Unknown, Coming:
			if w.r.IntN(10) == 0 {
				p.State = Missing
			}
		}
	}
	w.come()
}

// come lets pods come, go and fall silent; not in the end, so that all can get there.
func (w *world) come() {
	if w.now.Sub(start) > 2*time.Minute || len(w.pods) == 0 || w.r.IntN(20) > 0 {
		return
	}
	i := w.r.IntN(len(w.pods))
	switch w.r.IntN(4) {
	case 0:
		w.pods = append(w.pods[:i], w.pods[i+1:]...)
	case 1:
		w.add(Missing)
	case 2:
		w.add(Accepted)
	case 3:
		if w.pods[i].State == Missing {
			w.pods[i].State = []State{Unknown, Coming}[w.r.IntN(2)]
		}
	}
}
