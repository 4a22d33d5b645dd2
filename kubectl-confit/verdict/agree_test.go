package verdict_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/verdict"
	"confit/status"
)

// states are what confit says of itself when "2" is mounted, by the words with which docs/status.md has its text begin:
// its own exit code, and that of kubectl confit status for the ConfigMap that holds "2".
var states = map[string]struct {
	change      func(s *status.Status)
	own, plugin int
}{
	"WELL": {func(s *status.Status) {
		s.Keys["web/a"], s.Mounted = sum("2"), &status.Mounted{Hash: "former", Keys: map[string]status.Sum{}}
	}, 0, 0},
	"ON ITS WAY":                {func(*status.Status) {}, 0, 0},
	"WAITING: the gate is":      {func(s *status.Status) { s.Gate = &status.Gate{Waits: "accepted"} }, 0, 0},
	"WAITING: the gate decides": {func(s *status.Status) { s.Gate = &status.Gate{} }, 0, 0},
	"IN PROBATION":              {func(s *status.Status) { s.Live = &status.Generation{Hash: "mounted"} }, 0, 0},
	"DAMAGED": {func(s *status.Status) {
		s.Damaged, s.Keys["web/a"], s.Mounted = true, sum("2"), &status.Mounted{Hash: "former", Keys: map[string]status.Sum{}}
	}, 3, 3},
	"GONE DOWN":                         {func(s *status.Status) { s.GoneDown = &status.GoneDown{From: status.Generation{Hash: "mounted"}} }, 3, 3},
	"NOT WELL":                          {func(s *status.Status) { s.Unwell, s.Keys["web/a"] = "verify", sum("2") }, 3, 3},
	"IN TROUBLE: the system refuses to": {func(s *status.Status) { s.Trouble, s.PendingSince = "no space", at(0) }, 3, 3},
	"IN TROUBLE: the system refuses so": {func(s *status.Status) { s.Trouble = "a link" }, 0, 0},
	"REJECTED":                          {rejection("gate", 1), 3, 3},
	"STALLED":                           {func(s *status.Status) { s.Stalled = at(0) }, 3, 3},
	"BROKEN DOWN":                       {func(s *status.Status) { s.Degraded = "panic" }, 3, 3},
	"ENDED":                             {func(s *status.Status) { rejection("verify", 1)(s); s.Phase = "done" }, 3, 0}, // its container runs: the next confit is to come
	"OUT OF DATE":                       {rejection("validate", 1), 3, 3},
}

// headlines are those of the page.
var headlines = regexp.MustCompile("(?m)^- `([A-Z]+ ?[A-Z ]*:[^`]*)`, [03]")

// TestAgree: kubectl confit status exits with 3 where confit's own --status does, in each state that the page has.
func TestAgree(t *testing.T) {
	page, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	found := headlines.FindAllStringSubmatch(string(page), -1)
	for _, headline := range found {
		known := false
		for words := range states {
			known = known || strings.HasPrefix(headline[1], words)
		}
		if !known {
			t.Errorf("no case has %q", headline[1])
		}
	}
	if len(found) < len(states) {
		t.Errorf("%d headlines, and %d cases", len(found), len(states))
	}
	for words, tt := range states {
		s := says(tt.change)
		p, c := inWeb(t, "configMap: {name: web}")
		row := verdict.Judge(p, c, verdict.Answer{Status: s}, verdict.Objects{web: holding(web, "a", "2")}, nil)
		if text := string(s.Text(began.Add(2 * time.Hour))); !strings.HasPrefix(text, words) && !strings.HasPrefix(text, "OUT OF DATE") {
			t.Errorf("%s: it says %q", words, text)
		}
		if own, plugin := s.Verdict(), verdict.Code([]verdict.Row{row}); own != tt.own || plugin != tt.plugin {
			t.Errorf("%s: --status exits with %d, kubectl confit status with %d: %s", words, own, plugin, brief(row))
		}
		if tt.plugin == 3 && row.Why == "" {
			t.Errorf("%s: the row doesn't say why", words)
		}
	}
}

// TestAgree_others: a rejection of another object's key doesn't count, and a container that ends again and again does.
func TestAgree_others(t *testing.T) {
	p, c := inWeb(t, "configMap: {name: web}")
	other := says(rejection("verify", 1))
	if row := verdict.Judge(p, c, verdict.Answer{Status: other}, verdict.Objects{web: holding(web, "a", "1")}, nil); verdict.Code([]verdict.Row{row}) != 0 {
		t.Errorf("got %s", brief(row))
	}
	for code, want := range map[int32]int{0: 0, 1: 3, 3: 3, 71: 3, 78: 3, 137: 3} {
		p := endedWith(t, "Always", "Running", code)
		s := &p.Status.ContainerStatuses[0]
		s.LastTerminationState, s.State = s.State, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		if row := verdict.Judge(p, c, verdict.Answer{}, nil, nil); verdict.Code([]verdict.Row{row}) != want {
			t.Errorf("a crash loop by %d: %s", code, brief(row))
		}
	}
}
