package cli

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"confit/integration/markdown"
	"confit/status"
)

// moments are the times of a roll-out.
var moments = regexp.MustCompile(`\b20[0-9T:-]+Z\b`)

// steady is a screen whose times begin at the page's, and are as far apart as they were, to ten seconds. The record that the test
// makes has a time of its own; what the server's clock says counts as that.
func steady(screen string) string {
	begin, _ := time.Parse(time.RFC3339, slices.Min(append(moments.FindAllString(screen, -1), "9")))
	return moments.ReplaceAllStringFunc(screen, func(text string) string {
		at, _ := time.Parse(time.RFC3339, text)
		after := at.Sub(begin).Truncate(10 * time.Second)
		if after > time.Hour {
			after = 0
		}
		return time.Date(2026, 3, 4, 5, 8, 40, 0, time.UTC).Add(after).Format(time.RFC3339)
	})
}

// TestPage_rollout: a canary rejects it, and is one screen. The next edition is stopped by a person.
func TestPage_rollout(t *testing.T) {
	r := newRolling(t, "web-7f4c-kx2lp", "web-7f4c-mq8wd")
	r.rejects("web-7f4c-kx2lp", "verify", `verify "curl -fsS localhost/health" ended with exit 22`, "curl: (22) The requested URL returned error: 500")
	bad := r.run("rollout", "status", "web")
	shows(t, "rollout", "rollout status web", bad.stdout+bad.stderr)
	r.begins("web-7f4c-mq8wd", "3fa1b2c4d5e6")
	stopped := r.run("rollout", "abort", "web")
	shows(t, "rollout", "rollout abort web", steady(stopped.stdout+stopped.stderr))
	if bad.code != 0 || stopped.code != 0 {
		t.Errorf("got %+v, %+v", bad, stopped)
	}
}

// TestPage_pipeline: the third way of docs/kubectl.md hands the hash that sync prints to the roll-out's wait, which knows it by that.
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
	if got := r.run(words(2)...); got.code != 3 || !strings.Contains(got.stderr, "the roll-out has failed: "+edition[:12]+" was rejected by web-0 at step verify") {
		t.Errorf("%s: got %+v", lines[2], got)
	}
}
