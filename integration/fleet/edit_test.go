//go:build fleet

package fleet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"confit/integration/cluster"
)

// A good edit goes to one replica, then to as many at once as the formula allows, until all have it. A bad one stops at its canary,
// whether it kills the app or only --verify finds it. The fixed one goes through.
func testEdit(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "edit")
	f.startAll()
	f.rollOut("second")
	dead, sick := f.refuse("third", "die", "probation"), f.refuse("fourth", "sick", "verify")
	f.rollOut("fifth")
	if !slices.Equal(f.readers("third"), dead) || !slices.Equal(f.readers("fourth"), sick) {
		t.Error("another replica has read a bad edition afterwards")
	}
}

// rollOut makes a good edit, and tells what it took.
func (f *fleet) rollOut(edition string) {
	f.t.Helper()
	begin, requests, versions := time.Now(), len(f.cluster.Audit()), len(f.history.all())
	f.edit(edition, "good")()
	f.until("all have the "+edition+" edition", func() bool { return f.count(edition) == len(f.pods) })
	took := time.Since(begin)
	f.until("all have reported", func() bool {
		v := f.history.last().revision()
		return v.Trial != nil && v.Trial.Hash == v.Stable && v.Trial.Accepted == len(f.pods) && len(v.Trial.Holds) == 0
	})
	f.tellCost(edition, took, f.cluster.Audit()[requests:])
	f.holdersRead(edition, f.history.all()[versions:])
}

// tellCost tells how many requests a replica made, by the API server's own account.
func (f *fleet) tellCost(edition string, took time.Duration, asked []cluster.Asked) {
	f.t.Helper()
	gets, updates, conflicts, most, of := 0, 0, 0, 0, map[string]int{}
	for _, a := range asked {
		if !strings.HasPrefix(a.Pod, f.name+"-") {
			continue
		}
		of[a.Pod]++
		most = max(most, of[a.Pod])
		switch {
		case a.Verb == "get":
			gets++
		case a.Code == 409:
			conflicts++
		default:
			updates++
		}
	}
	if len(of) != len(f.pods) || updates < 2*len(f.pods) {
		f.t.Errorf("the audit log has %d updates by %d replicas", updates, len(of))
	}
	n := float64(len(f.pods))
	f.t.Logf("the %s edition is everywhere after %.1f s; a replica made %.1f requests: %.1f GET, %.1f PUT, %.1f conflicts; at most %d",
		edition, took.Seconds(), float64(gets+updates+conflicts)/n, float64(gets)/n, float64(updates)/n, float64(conflicts)/n, most)
}

// holdersRead checks that each replica that read an edition had a place for it, and how many had one at a time.
func (f *fleet) holdersRead(edition string, versions []version) {
	f.t.Helper()
	held, most := places(versions), 0
	for _, v := range versions {
		if trial := v.revision().Trial; trial != nil {
			most = max(most, len(trial.Holds))
		}
	}
	for _, p := range f.readers(edition) {
		if !held[p.uid] {
			f.t.Errorf("%s has read the %s edition, and never had a place", p.name, edition)
		}
	}
	if most < 2 {
		f.t.Errorf("never more than %d replicas were in flight: they don't go together", most)
	}
	f.t.Logf("the Lease went through %d versions; %d replicas were in flight at most", len(versions), most)
}

// refuse makes a bad edit that gets through the validator. Only canaries read it, and are taken back. All others are refused, and their
// apps notice nothing. There is one canary, and another for each that was lost.
func (f *fleet) refuse(edition, effect, step string) (canaries []*pod) {
	f.t.Helper()
	before, rejected, versions := f.pods[0].now(), len(f.history.last().revision().Rejected), len(f.history.all())
	f.edit(edition, effect)()
	f.until("the "+edition+" edition is rejected", func() bool {
		return len(f.history.last().revision().Rejected) > rejected
	})
	by := f.history.last().revision().Rejected[rejected]
	if by.Step != step {
		f.t.Errorf("the %s edition was rejected at step %q, want %q", edition, by.Step, step)
	}
	f.each("all others are refused", func(p *pod) bool {
		s := p.status()
		return s.Rejection.Step == "gate" && strings.Contains(s.Rejection.Reason, "was rejected by "+by.Pod+" at step "+step)
	}, f.pod(by.Pod))
	f.each("all run with the accepted edition", func(p *pod) bool { return p.now() == before && p.status().Phase == "running" })
	canaries, losses := f.readers(edition), 0
	held := places(f.history.all()[versions:])
	for _, v := range f.history.all()[versions:] {
		losses = max(losses, v.revision().losses())
	}
	if len(canaries) > 1+losses || slices.ContainsFunc(canaries, func(p *pod) bool { return !held[p.uid] }) {
		f.t.Errorf("%d replicas have read the %s edition, with %d lost and %d that had a place", len(canaries), edition, losses, len(held))
	}
	f.t.Logf("the %s edition was rejected by %s at step %s, and taken back; %d others never read it",
		edition, by.Pod, step, len(f.pods)-len(canaries))
	return canaries
}

// places are the pods that had a place in one of these versions, by UID.
func places(versions []version) map[string]bool {
	held := map[string]bool{}
	for _, v := range versions {
		if trial := v.revision().Trial; trial != nil {
			for _, h := range trial.Holds {
				held[h.Pod] = true
			}
		}
	}
	return held
}
