package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"confit/integration/markdown"
	"confit/status"
)

// TestPage_rollout: a canary rejects it, and is one screen.
func TestPage_rollout(t *testing.T) {
	r := newRolling(t, "web-7f4c-kx2lp", "web-7f4c-mq8wd")
	r.rejects("web-7f4c-kx2lp", "verify", `verify "curl -fsS localhost/health" ended with exit 22`, "curl: (22) The requested URL returned error: 500")
	bad := r.run("rollout", "status", "web")
	shows(t, "rollout", "rollout status web", bad.stdout+bad.stderr)
	if bad.code != 0 {
		t.Errorf("got %+v", bad)
	}
}

// TestPage_pipeline: the third way of docs/kubectl.md hands the hash that sync prints to the rollout's wait, which knows it by that.
func TestPage_pipeline(t *testing.T) {
	lines := strings.Split(markdown.Blocks(section(t, "In a pipeline"))[2].Text, "\n")
	words := func(line int) []string {
		command, _, _ := strings.Cut(strings.TrimPrefix(lines[line], "kubectl confit "), " >")
		return strings.Fields(command)
	}
	r := newRolling(t, "web-0")
	of := r.replicas.Of("web-0", "nginx")
	r.take(of)
	of.Change(func(s *status.Status) { s.Mounted.Shared = edition })
	var verdict struct{ Hash string }
	got := r.run(words(1)...)
	if err := json.Unmarshal([]byte(got.stdout), &verdict); err != nil || got.code != 0 || verdict.Hash != edition {
		t.Fatalf("%s: got %+v (%v)", lines[1], got, err)
	}
	r.rejects("web-0", "verify", "bad", "")
	lines[2] = strings.Replace(lines[2], `"$(jq -r .hash verdict.json)"`, verdict.Hash, 1)
	if got := r.run(words(2)...); got.code != 3 || !strings.Contains(got.stderr, "the rollout has failed: "+edition[:12]+" was rejected by web-0 at step verify") {
		t.Errorf("%s: got %+v", lines[2], got)
	}
}
