//go:build fleet

package fleet

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"confit/integration/cluster"
)

// What a file in the pod does to its app.
const (
	away   = "/tmp/away"   // what the app needs is away: it can't start, and ends if it runs
	stale  = "/tmp/stale"  // a former app has left something behind: it can't start, once
	broken = "/tmp/broken" // it can't live with any edition but the first
)

// few is the size of a fleet in which an edit isn't proved by many.
const few = 5

// put makes such a file.
func (p *pod) put(file string) {
	if err := os.WriteFile(p.in(file), nil, 0o644); err != nil {
		p.fleet.t.Errorf("cannot put %s into %s: %v", file, p.name, err)
	}
}

// startAgain ends the container as the kubelet does, which starts it again.
func (p *pod) startAgain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.box.Send(syscall.SIGTERM)
}

// fix has a pod find what its app needs when its container is started the next time. The pause between two containers is far longer
// than the life of one in an outage.
func (p *pod) fix() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fixes = true
}

// told is how often it has reported an outcome.
func (p *pod) told(outcome string) int {
	return len(p.Lines("outcome reported", "outcome="+outcome))
}

// takeUp makes a good edit in a small fleet. Nobody has lived with it for long when it returns, and it isn't proved.
func (f *fleet) takeUp(edition string) {
	f.t.Helper()
	f.edit(edition, "good")()
	f.until("all have the "+edition+" edition", func() bool { return f.count(edition) == len(f.pods) })
	f.until("all have reported", func() bool {
		v := f.history.last().revision()
		return v.Trial != nil && v.Trial.Hash == v.Stable && v.Trial.Accepted == len(f.pods) && len(v.Trial.Holds) == 0
	})
}

// soaks waits until an app has lived with what is stable for long.
func (f *fleet) soaks() {
	f.t.Helper()
	f.until("the edit is proved", func() bool {
		v := f.history.last().revision()
		return slices.ContainsFunc(v.Proofs, func(p proof) bool { return p.Hash == v.Stable && p.Proved })
	})
}

// rejectsNothing holds that no version of the Lease has a rejection, and no pod has told one.
func (f *fleet) rejectsNothing() {
	f.t.Helper()
	for i, v := range f.history.all() {
		if r := v.revision().Rejected; len(r) > 0 {
			f.t.Errorf("version %d of the Lease: rejected: %v", i, r)
			return
		}
	}
	for _, p := range f.pods {
		if n := p.told("rolled-back") + p.told("rejected"); n > 0 {
			f.t.Errorf("%s has told %d verdicts", p.name, n)
		}
	}
}

// Beside an edit that isn't proved yet, so that one verdict would reject it, what all apps need goes away. They die, can't start, neither
// on the edit nor on what they had before, and go down the ladder and back to the top, more than once. Then it is over. Nothing is
// rejected, and all have the edit.
func testAway(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "away")
	f.startSome(few)
	f.takeUp("second")
	for _, p := range f.pods {
		p.put(away)
	}
	f.each("each says that its app has died", func(p *pod) bool { return p.told("relapsed") == 1 })
	f.each("each has been down the ladder, twice", func(p *pod) bool { return len(p.Lines("back to the top of the ladder")) >= 2 })
	for _, p := range f.pods {
		p.fix()
	}
	f.each("all run with the second edition again", func(p *pod) bool {
		s := p.status()
		return s.Phase == "running" && s.Accepted.Hash == s.Mounted.Hash && s.Live.Hash == s.Mounted.Hash && p.now() == "second"
	})
	f.each("each says that its app has lived with it for long", func(p *pod) bool { return p.told("soaked") > 0 })
	f.soaks()
	f.rejectsNothing()
	f.keeps("second")
}

// The app of one replica can't start once, beside an edit that isn't proved yet. Its container is started again. It tells that, and
// nothing else until its app has lived for long.
func testStale(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "stale")
	f.startSome(few)
	f.takeUp("second")
	p := f.pods[few/2]
	before := p.told("soaked")
	p.put(stale)
	p.startAgain()
	f.until("it says that its app has died", func() bool { return p.told("relapsed") == 1 })
	f.until("nobody begins meanwhile", func() bool {
		return slices.ContainsFunc(f.history.last().revision().Late, func(l late) bool { return l.Pod == p.uid && l.Open && !l.Failed })
	})
	f.until("it says that its app has lived with it for long", func() bool { return p.told("soaked") > before })
	f.soaks()
	f.rejectsNothing()
	if p.now() != "second" || p.starts != 3 || p.Contains("going down the ladder") {
		t.Errorf("it has %q after %d starts of its container", p.now(), p.starts)
	}
	f.keeps("second")
}

// One of five replicas can't live with an edit that another has lived with for long. It goes back alone: the others keep the edit, and so
// does the snapshot, on which a new one starts. What it said stands in the record. A second one is enough to reject it.
func testFew(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "few")
	f.startSome(few)
	f.takeUp("second")
	second := f.history.last().revision().Stable
	f.soaks()
	f.breaks(f.pods[0], func(v revision) bool {
		return slices.ContainsFunc(v.Late, func(l late) bool { return l.Pod == f.pods[0].uid && l.Failed && l.Step == "soak" })
	})
	if v := f.history.last().revision(); v.Stable != second || v.rejects(second) {
		t.Errorf("one pod has rejected what is proved: %s", f.history)
	}
	if table := f.person("--status"); !strings.Contains(table, "failed (soak)") {
		t.Errorf("what it said isn't in the table:\n%s", table)
	}
	f.keeps("second")
	added := f.scale(1)[0]
	f.until("a new one runs with the second edition", func() bool { return added.now() == "second" && added.status().Phase == "running" })
	f.breaks(f.pods[1], func(v revision) bool { return v.rejects(second) })
	f.keeps("first")
	for _, p := range f.pods[2:] {
		if p.now() != "second" {
			t.Errorf("%s has %q", p.name, p.now())
		}
	}
}

// breaks has the app of a pod die of what it is started on, until the record shows that it has gone back.
func (f *fleet) breaks(p *pod, shows func(revision) bool) {
	f.t.Helper()
	p.put(broken)
	p.startAgain()
	f.until(p.name+" goes down the ladder", func() bool { return p.Contains("going down the ladder") })
	f.until("the record shows that it has gone back", func() bool { return shows(f.history.last().revision()) })
	f.until("its status shows that, too", func() bool { return p.now() == "first" && p.status().Rejection.Step == "soak" })
}

// keeps waits until the snapshot is an edition.
func (f *fleet) keeps(edition string) {
	f.t.Helper()
	f.until("the snapshot is the "+edition+" edition", func() bool {
		answer := f.cluster.Must(http.MethodGet, cluster.Core+"configmaps/"+f.snapshot(), "", http.StatusOK)
		return strings.Contains(string(answer), `"app.conf":"`+edition+` good\n"`)
	})
}
