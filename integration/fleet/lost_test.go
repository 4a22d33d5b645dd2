//go:build fleet

package fleet

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"confit/integration/cluster"
)

// Two canaries are lost with their nodes in the middle of their proof. Nothing is rejected. The next one goes a minute after the first
// loss was noticed. After the second it would be two; a person doesn't want to wait, and says so. All times are real.
func testLost(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "lost")
	f.startAll()
	swapped := f.edit("second", "good")
	first := f.loseCanary()
	swapped()
	f.lapses(1)
	noticed := time.Now()
	second := f.loseCanary(first)
	if waited := time.Since(noticed); waited < time.Minute-time.Second {
		t.Errorf("the next canary went %v after the loss of the first", waited)
	}
	f.lapses(2)
	f.each("they wait for two minutes", func(p *pod) bool {
		return p.Contains("waiting: a canary was lost; the next waits for 2m0s")
	}, first, second)
	f.person("--retry", f.history.last().revision().Trial.Hash[:6])
	f.each("all others have the edition", func(p *pod) bool { return p.now() == "second" }, first, second)
	f.returns(first, second)
	if r := f.history.last().revision().Rejected; len(r) > 0 {
		t.Errorf("rejected: %v", r)
	}
}

// loseCanary takes the node away from a canary whose app has just read the edition.
func (f *fleet) loseCanary(before ...*pod) *pod {
	f.t.Helper()
	canary := f.holder()
	f.until("the canary reads the edition", func() bool { return canary.has("second") })
	canary.lose()
	for _, p := range before {
		if p == canary {
			f.t.Errorf("%s is lost, and holds a place", p.name)
		}
	}
	return canary
}

// lapses waits until the place of a lost canary is free, and the loss counted.
func (f *fleet) lapses(losses int) {
	f.t.Helper()
	begin := time.Now()
	f.until("the canary's place lapses", func() bool {
		trial := f.history.last().revision().Trial
		return trial.Losses == losses && len(trial.Holds) == 0
	})
	f.t.Logf("loss %d was noticed after %.0f s", losses, time.Since(begin).Seconds())
}

// returns brings lost pods back: their nodes were only away. What they find is stable now.
func (f *fleet) returns(lost ...*pod) {
	f.t.Helper()
	for _, p := range lost {
		if err := p.start(); err != nil {
			f.t.Fatal(err)
		}
	}
	f.each("the lost ones are back", func(p *pod) bool { return p.now() == "second" && p.status().Phase == "running" })
}

// person runs confitctl gate as a person does.
func (f *fleet) person(flags ...string) string {
	f.t.Helper()
	argv := append([]string{"gate", "--lease", f.name, "--kubeconfig", f.cluster.Kubeconfig(f.name, "")}, flags...)
	out, err := exec.Command(filepath.Join(programs.dir, "confitctl"), argv...).CombinedOutput()
	if err != nil {
		f.t.Fatalf("confitctl %q: %v\n%s", argv, err, out)
	}
	return string(out)
}
