//go:build fleet

package fleet

import (
	"net/http"
	"testing"

	"confit/integration/cluster"
)

// TestVerbs has the verbs of kubectl confit meet what goes wrong outside of them, before pods that answer. First what can go on side by
// side, and then the API server is away.
func TestVerbs(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	t.Run("together", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T, *cluster.Cluster){
			"late-sync": testLateSync, "late-undo": testLateUndo, "late-gated": testLateGated, "never": testNever, "two": testTwo,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, c.For(t))
			})
		}
	})
	t.Run("server-away", func(t *testing.T) { testServerAway(t, c.For(t)) })
}

// testLateSync: every app accepts the edit, and dies of it seconds later. The first death stops the waves, and the pods that were spared
// never read it.
func testLateSync(t *testing.T, c *cluster.Cluster) {
	f := newNodeFleet(t, c, "late-sync", 12, false)
	f.put("second", "late")
	v := f.begin("sync configmap/#")
	v.ends(3, "a quarter at a time", "has rejected it: soak", "Not synced: ")
	if n := len(f.readers("second")); n == 0 || n == len(f.pods) {
		t.Errorf("%d pods of %d have read it", n, len(f.pods))
	}
	f.begin("status configmap/#").ends(3, "soak")
	f.put("first", "good")
	f.begin("sync configmap/# --all").ends(0, "accepted by 12 containers")
	f.have("first")
}

// testLateUndo: the same edit is taken back by who has applied it.
func testLateUndo(t *testing.T, c *cluster.Cluster) {
	f := newNodeFleet(t, c, "late-undo", 12, false)
	v := f.begin("apply --no-check --undo -f " + f.write("second", "late"))
	v.ends(3, "Applied configmap/late-undo", "has rejected it: soak", "Not synced: ", "Put back configmap/late-undo", "configmap/late-undo is as it was before")
	f.have("first")
}

// testLateGated: the gate has stopped it, and those that wait are told by the rollout's record.
func testLateGated(t *testing.T, c *cluster.Cluster) {
	f := newNodeFleet(t, c, "late-gated", 5, true)
	f.put("second", "late")
	f.begin("sync configmap/#").ends(3, "at once, as their gate says when each goes on")
	if n := len(f.readers("second")); n == 0 || n == len(f.pods) {
		t.Errorf("%d pods of %d have read it", n, len(f.pods))
	}
}

// testNever: nothing begins, as no pod mounts the object, as no kubelet brings it, and as the gate stays shut.
func testNever(t *testing.T, c *cluster.Cluster) {
	f := newNodeFleet(t, c, "never", 3, true)
	c.Must(http.MethodPost, cluster.Core+"configmaps", `{"metadata": {"name": "stray"}, "data": {"a": "b"}}`, http.StatusCreated)
	f.begin("sync configmap/stray").ends(1, "no pod mounts configmap/stray")
	f.node.asleep.Store(true)
	f.put("second", "good")
	f.begin("sync configmap/# --timeout 5s").ends(1, "the time is over", "3 behind")
	f.begin("rollout status lease/# --wait --begin 3s").ends(4, "nothing has begun for 3s")
	f.rollout(0, "pause")
	f.node.asleep.Store(false)
	f.begin("sync configmap/# --timeout 10s").ends(1, "the time is over", "is gated: it waits for the gate; and 2 more")
	hash := f.pods[0].status().Gate.Hash
	f.begin("rollout status lease/# --wait --timeout 6s --hash "+hash).ends(1, "isn't over after 6s", "paused")
	if n := len(f.readers("second")); n > 0 {
		t.Errorf("%d pods have read what no gate let through", n)
	}
	f.rollout(0, "resume")
	f.begin("sync configmap/#").ends(0, "accepted by 3 containers")
	f.have("second")
}

// testTwo: two people edit the same object at the same time. Who is told that an edit is accepted is right, and the other is told why not.
func testTwo(t *testing.T, c *cluster.Cluster) {
	f := newNodeFleet(t, c, "two", 4, false)
	const apply = "apply --no-check --all -f "
	one, other := f.begin(apply+f.write("a", "good")), f.begin(apply+f.write("b", "good"))
	f.oneOf(map[string]*verb{"a": one, "b": other})
	one = f.begin(apply + f.write("c", "good") + " --undo")
	one.sees("Applied")
	other = f.begin(apply + f.write("d", "good"))
	one.ends(1, "superseded")
	f.oneOf(map[string]*verb{"c": one, "d": other})
	one = f.begin(apply + f.write("e", "good"))
	one.sees("Applied")
	other = f.begin(apply + f.write("f", "sick") + " --undo")
	one.ends(1, "superseded")
	other.ends(3, "Put back")
	f.have("e")
	f.begin(apply+f.write("g", "good")+" --field-manager jane").ends(1, "conflict", "--force-conflicts")
	f.put("h", "good")
	one = f.begin("sync configmap/#")
	one.sees("Syncing")
	f.put("i", "good")
	f.oneOf(map[string]*verb{"h": one, "i": f.begin("sync configmap/#")})
}

// oneOf holds that one of two was told that its edit is accepted, which all have, and by its hash; and the other that it isn't.
func (f *fleet) oneOf(verbs map[string]*verb) {
	f.t.Helper()
	accepted := ""
	for edition, v := range verbs {
		if v.code() == 0 {
			accepted += edition
			continue
		}
		if v.ends(1); !v.Contains("superseded") && !v.Contains("somebody has changed it meanwhile") {
			f.t.Errorf("%s doesn't say why:\n%s", v.line, &v.Transcript)
		}
	}
	if len(accepted) != 1 {
		f.t.Fatalf("%q of the editions were accepted", accepted)
	}
	f.have(accepted)
	for _, p := range f.pods {
		if hash := p.status().Mounted.Shared; !verbs[accepted].Contains(": hash " + hash[:12]) {
			f.t.Errorf("%s has %s:\n%s", p.name, hash, &verbs[accepted].Transcript)
		}
	}
}
