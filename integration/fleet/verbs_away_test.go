//go:build fleet

package fleet

import (
	"syscall"
	"testing"
	"time"

	"confit/integration/cluster"
)

// testServerAway: the API server is away in the middle of each verb, for seconds and for longer. None of them ends by it, and --undo
// puts the old object back afterwards. The kubelets bring nothing meanwhile, so that no verb is over before.
func testServerAway(t *testing.T, c *cluster.Cluster) {
	asked, applied, undone := newNodeFleet(t, c, "asked", 5, false), newNodeFleet(t, c, "applied", 5, false), newNodeFleet(t, c, "undone", 5, false)
	fleets := []*fleet{asked, applied, undone}
	watch := asked.begin("status configmap/# --watch")
	for n, outage := range []struct {
		edition string
		lasts   time.Duration
		undo    string // what apply --undo prints before it
	}{{"second", 5 * time.Second, "Syncing"}, {"third", 20 * time.Second, "rejected: "}} {
		asked.until("the watch has all", func() bool { return len(watch.Lines(" accepted ")) >= (n+1)*len(asked.pods) })
		asked.put(outage.edition, "good")
		verbs := []*verb{
			asked.begin("wait configmap/#"), asked.begin("sync configmap/#"), applied.begin("apply --no-check -f " + applied.write(outage.edition, "good")),
			undone.begin("apply --no-check --undo -f " + undone.write(outage.edition, "sick")),
		}
		for i, text := range []string{"2 of 5 accepted", "a quarter at a time", "a quarter at a time", outage.undo} {
			verbs[i].sees(text)
			fleets[max(0, i-1)].node.asleep.Store(i > 0)
		}
		c.Down()
		<-time.After(outage.lasts)
		c.Up()
		for _, f := range fleets {
			f.node.asleep.Store(false)
		}
		for i, code := range []int{0, 0, 0, 3} {
			verbs[i].ends(code)
		}
		if t.Failed() {
			return
		}
		asked.have(outage.edition)
		applied.have(outage.edition)
		undone.have("first")
	}
	asked.until("the watch has all", func() bool { return len(watch.Lines(" accepted ")) >= 3*len(asked.pods) })
	_ = watch.cmd.Process.Signal(syscall.SIGINT)
	watch.ends(130)
}
