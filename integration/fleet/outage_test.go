//go:build fleet

package fleet

import (
	"testing"
	"time"

	"confit/integration/cluster"
)

// outage is how long the API server is away at least.
const outage = time.Minute

// The API server is stopped for a minute in the middle of a rollout. Replicas that run go on with what they have; one that starts
// again starts on what it accepted. Then the rollout goes on where it was.
func TestOutage(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	f := newFleet(t, c, "outage")
	f.startAll()
	f.edit("second", "good")()
	f.until("some have accepted", func() bool {
		trial := f.history.last().revision().Trial
		return trial != nil && trial.Accepted >= 4
	})
	c.Down()
	over := time.Now().Add(outage)
	f.away()
	if wait := time.Until(over); wait > 0 {
		<-time.After(wait)
	}
	c.Up()
	up := time.Now()
	f.until("all have the second edition", func() bool { return f.count("second") == size })
	t.Logf("all have it %.1f s after the API server is back", time.Since(up).Seconds())
	if r := f.history.last().revision().Rejected; len(r) > 0 {
		t.Errorf("rejected: %v", r)
	}
	for _, p := range f.pods {
		if p.starts > 2 {
			t.Errorf("%s was started %d times", p.name, p.starts)
		}
	}
}

// away is the time without an API server: nobody new reads the edition, and two containers are started again.
func (f *fleet) away() {
	f.t.Helper()
	f.until("those in flight are through", func() bool { return f.isStill() })
	have := f.readers("second")
	f.each("the others say that the server is away", func(p *pod) bool {
		return p.Contains(`waiting: cannot get lease "outage" in namespace "default": `)
	}, have...)
	behind := f.behind(have)
	for _, p := range []*pod{have[0], behind} {
		before := len(p.Texts("stdout", "read "))
		p.kill()
		f.until("a container starts again on what it accepted", func() bool { return len(p.Texts("stdout", "read ")) > before })
		f.until("it runs", func() bool { return p.status().Phase != "starting" && p.box.Alive() })
	}
	if behind.now() != "first" || have[0].now() != "second" {
		f.t.Errorf("started on %q, which hadn't accepted the edit, and on %q, which had", behind.now(), have[0].now())
	}
	if n := len(f.readers("second")); n != len(have) {
		f.t.Errorf("%d replicas have read the edition, %d had before the server was away", n, len(have))
	}
}

// behind is a replica that hasn't read the edition.
func (f *fleet) behind(have []*pod) *pod {
	for _, p := range f.pods {
		if !p.has("second") {
			return p
		}
	}
	f.t.Fatalf("all of %d have the edition already", len(have))
	return nil
}

// isStill tells whether no replica is between two editions: each waits at its gate, or has accepted.
func (f *fleet) isStill() bool {
	for _, p := range f.pods {
		s := p.status()
		if s.Phase != "gating" && (s.Phase != "running" || s.Accepted.Hash != s.Mounted.Hash) {
			return false
		}
	}
	return true
}
