//go:build fleet

package fleet

import (
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"confit/integration/cluster"
)

// TestFleetLate has what comes after an edit was accepted.
func TestFleetLate(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	for name, test := range map[string]func(*testing.T, *cluster.Cluster){
		"late": lateVerdict("late"), "slow": lateVerdict("slow"), "away": testAway, "stale": testStale, "few": testFew,
		"faster": testFaster, "drain": testDrain, "people": testPeople, "revisions": testRevisions, "plugin": testPlugin,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c.For(t))
		})
	}
}

// lateVerdict has apps die of an edit that they have accepted. The first relapse stops it: nobody else begins. When the app of one has died
// twice in a row, and has then lived on the former edition, it is rejected. All have that again, and so has the snapshot, on which
// new replicas start. The fixed edition goes through.
//
// late: the app outlives the probation of a reload, and dies at each start. slow: it outlives each probation, also that of a start.
func lateVerdict(effect string) func(*testing.T, *cluster.Cluster) {
	return func(t *testing.T, c *cluster.Cluster) {
		f := newFleet(t, c, effect)
		f.startAll()
		f.refusedLate("second", effect)
		f.grow(2)
		f.rollOut("third")
	}
}

// refusedLate makes an edit that is accepted and rejected afterwards.
func (f *fleet) refusedLate(edition, effect string) {
	f.t.Helper()
	versions := len(f.history.all())
	f.edit(edition, effect)()
	f.until("the "+edition+" edition is rejected", func() bool { return len(f.history.last().revision().Rejected) > 0 })
	by := f.history.last().revision().Rejected[0]
	if by.Step != "soak" {
		f.t.Errorf("it was rejected at step %q by %s", by.Step, by.Pod)
	}
	f.each("all run with the former edition", func(p *pod) bool { return p.now() == "first" && p.status().Phase == "running" })
	began := f.history.all()[versions:]
	stopped := slices.IndexFunc(began, func(v version) bool {
		r := v.revision()
		return len(r.Rejected) > 0 || slices.ContainsFunc(r.Late, func(l late) bool { return l.Open })
	})
	before := places(began[:stopped+1])
	for _, p := range f.readers(edition) {
		if !before[p.uid] {
			f.t.Errorf("%s has read the %s edition, and began after the first word against it", p.name, edition)
		}
	}
	f.t.Logf("the %s edition was rejected by %s at step %s; %d of %d have read it", edition, by.Pod, by.Step, len(f.readers(edition)), len(f.pods))
}

// A canary is lost with its node, and edits come faster than its bound. Each ends all gates; its place is given away nonetheless.
func testFaster(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "faster")
	f.startAll()
	swapped := f.edit("second", "good")
	lost := f.loseCanary()
	f.history.lose(lost.uid)
	swapped()
	begin, edits := time.Now(), 0
	for f.history.last().revision().holds(lost.uid) {
		if time.Since(begin) > patience {
			f.t.Fatalf("its place isn't free after %v and %d edits", patience, edits)
		}
		edits++
		f.edit([]string{"third", "fourth"}[edits%2], "good")()
		time.Sleep(time.Second) // a gate looks
	}
	f.t.Logf("its place was given away after %.0f s and %d edits", time.Since(begin).Seconds(), edits)
	f.each("all others have the last edition", func(p *pod) bool { return p.now() == []string{"third", "fourth"}[edits%2] }, lost)
}

// A canary is stopped by its node's drain: it says so before it ends. So its place is free long before its bound is over.
func testDrain(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "drain")
	f.startAll()
	f.edit("second", "sick") // its proof takes as long as verify may
	canary := f.holder()
	f.until("the canary reads the edition", func() bool { return canary.has("second") })
	begin := time.Now()
	bound := time.Duration(f.history.last().revision().Trial.Holds[0].Bound) * time.Second
	canary.stop()
	f.until("its place is free", func() bool { return !f.history.last().revision().holds(canary.uid) })
	if took := time.Since(begin); took > bound {
		t.Errorf("the place of a canary that was stopped was free after %v; its bound is %v", took, bound)
	}
	f.until("the edition is rejected by another", func() bool { return len(f.history.last().revision().Rejected) > 0 })
}

// stop is what the kubelet does to a pod that is deleted: TERM, and nobody starts it again.
func (p *pod) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	_ = p.box.Send(syscall.SIGTERM)
}

// People look at a rollout, abort it, promote the next one, wait for it, and go back: all at once.
func testPeople(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "people")
	f.startAll()
	f.person("--pause")
	f.edit("second", "good")()
	f.each("all wait", func(p *pod) bool { return p.Contains("waiting: the rollout is paused") })
	f.person("--resume")
	canary := f.holder()
	if table := f.person("--status"); !strings.Contains(table, canary.name) || !strings.Contains(table, "trying") {
		t.Errorf("the canary isn't in the table:\n%s", table)
	}
	f.person("--abort")
	f.until("it is rejected", func() bool { return len(f.history.last().revision().Rejected) == 1 })
	swapped := f.edit("third", "good")
	f.until("a canary tries the third edition", func() bool {
		v := f.history.last().revision()
		return v.Trial != nil && len(v.Trial.Holds) > 0 && !v.rejects(v.Trial.Hash)
	})
	f.person("--promote")
	swapped()
	f.person("--wait", "--hash", f.history.last().revision().Trial.Hash[:12])
	f.each("all have the third edition", func(p *pod) bool { return p.now() == "third" })
	var view struct {
		Revisions []struct{ Hashes []struct{ State string } }
	}
	if err := json.Unmarshal([]byte(f.person("--status", "--output", "json")), &view); err != nil || view.Revisions[0].Hashes[0].State != "stable" {
		t.Errorf("%+v, %v", view, err)
	}
	versions := len(f.history.all())
	f.edit("first", "good")()
	f.each("all have the first edition again", func(p *pod) bool { return p.now() == "first" })
	for _, v := range f.history.all()[versions:] {
		if trial := v.revision().Trial; trial != nil && trial.Hash == v.revision().Stable && len(trial.Holds) > 0 {
			t.Errorf("somebody needed a place to go back: %+v", trial)
		}
	}
}
