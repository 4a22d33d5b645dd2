//go:build fleet

package fleet

import (
	"strings"
	"testing"

	"confit/integration/cluster"
)

// An edit is mounted that the first image dies of. The next image likes it, and takes three attempts: each is a revision of its own, so the
// first one has to make room in the record. It is known nonetheless what that has rejected: a new replica of it starts on the former
// edition, which the snapshot holds as long as such replicas are there.
func testRevisions(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "revisions")
	f.startAll()
	f.refuse("second", "old", "probation")
	rejected := f.history.last().revision().Rejected[0].Hash
	for _, f.image = range []string{"r2", "r3", "r4"} {
		p := f.scale(1)[0]
		f.until(p.name+" runs with the second edition", func() bool {
			return p.now() == "second" && p.status().Accepted.Source == "mounted" && p.Contains("outcome reported")
		})
	}
	if v := f.history.last(); len(v.Revisions) != 4 || !v.revision().Remains {
		t.Errorf("the first revision hasn't made room: %s", f.history)
	}
	f.image = firstImage
	late := f.scale(1)[0]
	f.until("a new replica of the first image runs with the first edition", func() bool {
		s := late.status()
		return late.now() == "first" && s.Accepted.Source == "fallback" && strings.Contains(s.Rejection.Reason, "was rejected by")
	})
	if late.has("second") || !f.history.last().revision().rejects(rejected) {
		t.Errorf("%s didn't know that the second edition was rejected: %s", late.name, f.history)
	}
	f.keeps("first")
	f.edit("third", "good")()
	f.each("all have the fixed edition", func(p *pod) bool { return p.now() == "third" })
}
