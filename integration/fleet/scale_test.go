//go:build fleet

package fleet

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

// An edit makes its canary run out of memory, twice: that rejects it. While it is mounted, the fleet grows. The new replicas start on
// what the others have accepted, and follow when the edit is fixed.
func testScale(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "scale")
	f.limited = true
	f.startAll()
	canaries := f.refuse("second", "eat", "publish")
	last := f.pod(f.history.last().revision().Rejected[0].Pod)
	if ends := last.Texts("kubelet", "the container ended: signal: killed"); len(ends) != 2 || last.starts != 3 {
		t.Errorf("the canary that rejected the edit was killed %d times, and started %d times", len(ends), last.starts)
	}
	f.grow(5)
	f.waitingGate(f.edit("third", "good"))
	f.until("all have the fixed edition", func() bool { return f.count("third") == len(f.pods) })
	f.each("all run with what is mounted", func(p *pod) bool {
		s := p.status()
		return s.Accepted.Source == "mounted" && s.Accepted.Hash == s.Mounted.Hash
	})
	if readers := f.readers("second"); !slices.Equal(readers, canaries) {
		t.Errorf("%d replicas have read the edition that takes all memory", len(readers))
	}
}

// grow adds replicas, which find the edition that was rejected.
func (f *fleet) grow(n int) {
	f.t.Helper()
	f.keeps("first")
	added := f.scale(n)
	f.each("the new ones run on what was accepted", func(p *pod) bool {
		s := p.status()
		return !slices.Contains(added, p) || p.now() == "first" && s.Phase == "running" && s.Accepted.Source == "fallback" &&
			strings.Contains(s.Rejection.Reason, "was rejected by")
	})
	f.t.Logf("%d replicas were added while a bad edition is mounted: they run on the accepted one", n)
}

// waitingGate tells what a gate that waits costs in the app's cgroup. What it has not of its own it shares with all that run the same
// program.
func (f *fleet) waitingGate(swapped func()) {
	f.t.Helper()
	for _, p := range f.pods {
		p.waits = len(p.Lines("waiting: "))
	}
	swapped()
	var gate string
	f.until("a gate waits", func() bool {
		for _, p := range f.pods {
			if gate = p.process("confitctl gate"); gate != "" && len(p.Lines("waiting: ")) > p.waits {
				return true
			}
		}
		return false
	})
	f.t.Logf("a gate that waits has %s resident, of that %s of its own", harness.StatusField(gate, "VmRSS"), harness.StatusField(gate, "RssAnon"))
}

// process is the directory in /proc of a process in the pod, or "".
func (p *pod) process(command string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box == nil {
		return ""
	}
	for _, process := range p.box.Processes() {
		if strings.HasPrefix(process.Command, command) {
			return filepath.Join("/proc", strconv.Itoa(process.PID))
		}
	}
	return ""
}
