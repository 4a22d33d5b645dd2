package cli

import (
	"regexp"
	"testing"
)

// moments are the times of a roll-out.
var moments = regexp.MustCompile(`\b20[0-9T:-]+Z\b`)

// TestPage_rollout: a canary rejects it, and is one screen. The next edition is stopped by a person.
func TestPage_rollout(t *testing.T) {
	r := newRolling(t, "web-7f4c-kx2lp", "web-7f4c-mq8wd")
	r.rejects("web-7f4c-kx2lp", "verify", `verify "curl -fsS localhost/health" ended with exit 22`, "curl: (22) The requested URL returned error: 500")
	bad := r.run("rollout", "status", "web")
	shows(t, "rollout", "rollout status web", bad.stdout+bad.stderr)
	r.begins("web-7f4c-mq8wd", "3fa1b2c4d5e6")
	stopped := r.run("rollout", "abort", "web")
	shows(t, "rollout", "rollout abort web", moments.ReplaceAllString(stopped.stdout+stopped.stderr, "2026-03-04T05:08:40Z"))
	if bad.code != 0 || stopped.code != 0 {
		t.Errorf("got %+v, %+v", bad, stopped)
	}
}
