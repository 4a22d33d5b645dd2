//go:build fleet

package fleet

import (
	"net/http"
	"strings"
	"testing"

	"confit/integration/cluster"
)

// What people do to a rollout: a role that allows too little, a Lease that is deleted in the middle, two edits in a row. Nothing is
// rejected by any of it, and all replicas get there.
func testHands(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "hands")
	f.startAll()
	f.missingRole()
	f.deletedLease()
	f.twoEdits()
	if r := f.history.last().revision().Rejected; len(r) > 0 {
		t.Errorf("rejected: %v", r)
	}
}

// missingRole: each replica says what is missing, and keeps what it has.
func (f *fleet) missingRole() {
	f.t.Helper()
	for _, role := range []struct {
		verbs   []string
		missing string
	}{{[]string{"update"}, "get"}, {[]string{"get"}, "update"}} {
		f.allow(role.verbs...)
		if role.missing == "get" {
			f.edit("second", "good")()
		}
		want := `cannot ` + role.missing + ` lease "hands" in namespace "default": forbidden; allow "` + role.missing +
			`" on resource "leases" of group "coordination.k8s.io", resourceNames ["hands"]`
		f.each("it says that it may not "+role.missing, func(p *pod) bool {
			s := p.status()
			return s.Rejection.Step == "gate" && strings.Contains(s.Rejection.Reason, want) && len(p.Lines("candidate rejected", role.missing)) > 0
		})
	}
	if n := len(f.readers("second")); n > 0 {
		f.t.Errorf("%d replicas have read an edition that no gate let through", n)
	}
	f.allow("get", "update")
}

// deletedLease: those who wait say that it isn't there. When the manifest is applied again, the rollout begins anew.
func (f *fleet) deletedLease() {
	f.t.Helper()
	f.until("some have accepted", func() bool {
		trial := f.history.last().revision().Trial
		return trial != nil && trial.Accepted >= 3 && f.count("second") < size-5
	})
	f.cluster.Must(http.MethodDelete, cluster.Leases+"/"+f.name, "", http.StatusOK)
	behind := f.count("first")
	f.each("those that wait say that there is none", func(p *pod) bool {
		return p.now() == "second" || strings.Contains(p.status().Rejection.Reason, "there is none; the manifest has to make it")
	})
	f.t.Logf("the Lease is deleted with %d replicas behind", behind)
	f.createLease()
	f.until("all have the second edition", func() bool { return f.count("second") == size })
}

// twoEdits: the second comes while the first is at its canary.
func (f *fleet) twoEdits() {
	f.t.Helper()
	swapped := f.edit("third", "good")
	canary := f.holder()
	versions := len(f.history.all())
	f.t.Logf("the fourth edition comes while %s tries the third", canary.name)
	also := f.edit("fourth", "good")
	swapped()
	also()
	f.until("all have the fourth edition", func() bool { return f.count("fourth") == size })
	f.t.Logf("%d replicas have read the third; the Lease went through %d versions", len(f.readers("third")), len(f.history.all())-versions)
}
