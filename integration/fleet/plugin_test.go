//go:build fleet

package fleet

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/cluster"
)

// People use kubectl confit: they pause an edit and let it go on, abort it, try it again, promote it, and look at one that is rejected.
func testPlugin(t *testing.T, c *cluster.Cluster) {
	f := newFleet(t, c, "plugin")
	f.startSome(8)
	everywhere := func(edition string) {
		f.each("all have the "+edition+" edition", func(p *pod) bool { return p.now() == edition })
	}
	f.rollout(0, "pause")
	f.edit("second", "good")()
	f.each("all wait", func(p *pod) bool { return p.Contains("waiting: the rollout is paused") })
	f.rollout(0, "resume")
	canary := f.holder()
	if screen := f.rollout(0, "status"); !strings.Contains(screen, canary.name+"  ") || !strings.Contains(screen, "trying") {
		t.Errorf("the canary isn't on the screen:\n%s", screen)
	}
	f.rollout(0, "abort")
	second := f.rejection("").Hash
	f.rollout(3, "status", "--wait", "--hash", second[:8])
	f.rollout(1, "promote") // nothing is tried
	f.rollout(0, "retry", "--hash", second[:8])
	f.holder()
	f.rollout(0, "promote", "--hash", second)
	f.rollout(0, "status", "--wait", "--hash", second[:8], "--timeout", "5m")
	everywhere("second")
	f.edit("third", "die")()
	by := f.rejection(second)
	if screen := f.rollout(0, "status"); !strings.Contains(screen, "by "+by.Pod+" at step "+by.Step) {
		t.Errorf("the screen doesn't say that %s has rejected it at step %s:\n%s", by.Pod, by.Step, screen)
	}
	var found struct {
		Code  int
		Words []struct{ Pod, Hash string }
	}
	if text := f.rollout(3, "status", "--wait", "--hash", by.Hash, "-o", "json"); json.Unmarshal([]byte(text), &found) != nil ||
		found.Code != 3 || len(found.Words) != 1 || found.Words[0].Pod != by.Pod || found.Words[0].Hash != by.Hash {
		t.Errorf("got %s", text)
	}
	if said := f.pod(by.Pod).status().Rejection; said.Step != by.Step || said.Reason == "" || said.At.Unix() > by.At+60 { // or nobody would know it again
		t.Errorf("%s says %+v of what is %+v in the record", by.Pod, said, by)
	}
	if n := len(f.readers("third")); n != 1 {
		t.Errorf("%d have read the third edition", n)
	}
}

// rejection waits until a hash is rejected that isn't the one that is known.
func (f *fleet) rejection(known string) (by rejection) {
	f.t.Helper()
	f.until("an edition is rejected", func() bool {
		all := f.history.last().revision().Rejected
		if len(all) > 0 {
			by = all[len(all)-1]
		}
		return len(all) > 0 && by.Hash != known
	})
	return by
}

// rollout runs kubectl confit rollout about the fleet's Lease, as the administrator, and returns what it prints to stdout.
func (f *fleet) rollout(code int, verb string, flags ...string) string {
	f.t.Helper()
	argv := append([]string{"rollout", verb, "lease/" + f.name, "--kubeconfig", f.cluster.Kubeconfig(f.name, "")}, flags...)
	out, err := exec.Command(filepath.Join(programs.dir, "kubectl-confit"), argv...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.t.Fatal(err)
	}
	if exit != nil && exit.ExitCode() != code || exit == nil && code != 0 {
		f.t.Fatalf("%q: %v, want exit code %d\n%s", argv, err, code, out)
	}
	return string(out)
}
