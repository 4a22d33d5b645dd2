//go:build check

// Package storm runs confit through faults at random, in an order that a seed decides, while an independent reader watches the targets:
// no mix, no lost change, nothing left behind, no growth. The seed is printed, so whoever finds a fault can repeat it.
//
//	make storm SEED=7 FOR=10m
//
// Read it in this order:
//
//	storm_test.go       a storm: disturb, fix, rest, again
//	acts_test.go        what disturbs
//	pod_test.go         a container that is started again whenever it ends, and how it may end
//	edit_test.go        what is mounted, and what confit should make of it
//	rest_test.go        what must hold when nothing disturbs any more
//	reader_test.go      what must hold at every moment
//	daemon_test.go      the app and the hooks
package storm

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

var (
	seed     = flag.Uint64("seed", 0, "of the faults; 0: a new one")
	duration = flag.Duration("for", 15*time.Second, "how long to go on")
	clock    = flag.Bool("clock", false, "step the machine's clock by an hour now and then, for a moment")
)

var programs struct{ confit, kubelet, daemon string }

func TestMain(m *testing.M) { harness.Main(m, harness.Roles{"daemon": daemon}, build) }

func build(dir string) (err error) {
	programs.confit, programs.daemon = filepath.Join(dir, "confit"), filepath.Join(dir, "daemon")
	if programs.kubelet, err = harness.BuildKubelet(dir); err != nil {
		return err
	}
	if err = harness.BuildConfit(programs.confit); err != nil {
		return err
	}
	return harness.CopySelf(programs.daemon)
}

func TestStorm(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64N(1e6)
	}
	t.Logf("make storm SEED=%d FOR=%v", *seed, *duration)
	storm(t, *seed, *duration)
}

// storm disturbs a pod, lets it rest and looks at it, until the time is over. Each rest must show what is mounted, or why not.
func storm(t *testing.T, seed uint64, duration time.Duration) {
	p := newPod(t, seed)
	reader := p.read()
	for over := time.Now().Add(duration); time.Now().Before(over); {
		for range 1 + p.rand.IntN(4) {
			p.disturb()
		}
		p.fix()
		p.rest()
	}
	p.edit(good, p.names()...)
	p.rest()
	if !p.live(p.mounted) {
		t.Errorf("the last edit is not live: %v", p.mounted)
	}
	p.tally()
	t.Logf("%d whole configurations read; %d starts; %s", reader.stop(), p.starts, p.counts())
	t.Logf("confit had %d files, %d threads and %d KiB at most when it rested", p.most[0], p.most[1], p.most[2])
	if t.Failed() {
		t.Logf("what was done:\n%s", p.diary.String())
	}
}

// counts says how often each thing was done.
func (p *pod) counts() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.done)) {
		words = append(words, fmt.Sprint(p.done[name], " ", name))
	}
	return strings.Join(words, ", ")
}
