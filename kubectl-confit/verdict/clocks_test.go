package verdict_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/verdict"
	"confit/status"
)

// TestClocks: whatever clock is wrong by an hour, either way, a rejection is one, and what isn't accepted since the
// restart isn't accepted.
func TestClocks(t *testing.T) {
	for name, tt := range map[string]struct {
		status *status.Status // by a right clock
		has    string
		want   verdict.State
		or     verdict.State // where a clock is wrong: what is waited for
	}{
		"rejected":          {says(rejection("verify", 1)), "2", verdict.Rejected, verdict.Rejected},
		"refused":           {says(rejection("validate", 2)), "2", verdict.Rejected, verdict.Rejected},
		"degraded":          {says(func(s *status.Status) { s.Degraded = "panic" }), "2", verdict.Stuck, verdict.Stuck},
		"gone down":         {says(func(s *status.Status) { s.GoneDown = &status.GoneDown{From: status.Generation{Hash: "mounted"}} }), "2", verdict.OnItsWay, verdict.OnItsWay},
		"accepted":          {says(func(s *status.Status) { s.Accepted.Proof = "probation" }), "1", verdict.Accepted, verdict.Live},
		"by a former run":   {says(func(s *status.Status) { s.Accepted.Proof, s.Accepted.Since = "stored", at(-time.Minute) }), "1", verdict.Live, verdict.Live},
		"soaked":            {says(func(s *status.Status) { s.Accepted.Soaked, s.Accepted.Since = true, at(-time.Minute) }), "1", verdict.Accepted, verdict.Accepted},
		"behind":            {says(nil), "3", verdict.Behind, verdict.Behind},
		"a former run ends": {says(func(s *status.Status) { s.Phase = "done" }), "2", verdict.Starting, verdict.Starting},
	} {
		for _, kubelet := range []time.Duration{-time.Hour, 0, time.Hour} {
			p, c := inWeb(t, "configMap: {name: web}")
			p.Status.ContainerStatuses[0].State.Running.StartedAt = metav1.NewTime(began.Add(kubelet))
			got := verdict.Judge(p, c, verdict.Answer{Status: tt.status}, verdict.Objects{web: holding(web, "a", tt.has)}, nil)
			if got.State != tt.want && (kubelet == 0 || got.State != tt.or) {
				t.Errorf("%s, kubelet's clock %v: got %s", name, kubelet, got.State)
			}
		}
	}
}

// TestClocks_reader: a reader's wrong clock asks a container within the same bounds, and makes a wait for a script no
// longer than its time.
func TestClocks_reader(t *testing.T) {
	for _, reader := range []time.Duration{-time.Hour, 0, time.Hour} {
		now := began.Add(reader)
		w := verdict.NewWait(verdict.Objects{web: holding(web, "a", "1")}, true, false)
		p, _ := inWeb(t, "configMap: {name: web}")
		w.SeePod(now, p)
		w.Synced()
		soaking := says(func(s *status.Status) { s.Accepted.SoaksAt = at(time.Minute) })
		w.Tell(now, w.Questions(now)[0], verdict.Answer{Status: soaking})
		if next := w.Next().Sub(now); next < time.Second || next > 30*time.Second || w.Result() != nil {
			t.Errorf("%v: the next question is after %v, result %v", reader, next, w.Result())
		}
		script := says(func(s *status.Status) {
			s.Phase, s.App.Entrypoint = "waiting", &status.Entrypoint{Since: at(0), Until: at(5 * time.Minute)}
		})
		w = verdict.NewWait(verdict.Objects{web: holding(web, "a", "2")}, false, false)
		w.SeePod(now, p)
		w.Synced()
		w.Tell(now, w.Questions(now)[0], verdict.Answer{Status: script})
		if by := w.Longer(now); by < 0 || by > 5*time.Minute {
			t.Errorf("%v: the wait is longer by %v", reader, by)
		}
	}
}

// TestClocks_record: what a record has rejected is found by its hash, whatever the pod's clock said.
func TestClocks_record(t *testing.T) {
	for _, pod := range []time.Duration{-time.Hour, 0, time.Hour} {
		s := says(rejection("verify", 1))
		s.Rejection.At, s.Mounted.Shared = at(pod), "shared"
		p, c := inWeb(t, "configMap: {name: web}")
		if got := verdict.Words(p, c, verdict.Answer{Status: s}, "shared", "verify", began); got.State != verdict.Rejected {
			t.Errorf("%v: got %s %s", pod, got.State, got.Why)
		}
		if got := verdict.Words(p, c, verdict.Answer{Status: s}, "another", "verify", began); got.State == verdict.Rejected {
			t.Errorf("%v: another hash's rejection is told", pod)
		}
	}
}

// TestClocks_listed: a time that a pod wrote is read in clocks.go alone, which lists what it is compared with.
func TestClocks_listed(t *testing.T) {
	for _, dir := range []string{".", "../follow", "../sync", "../apply", "../cli"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			listed := file == "clocks.go" || file == "../cli/report.go" || strings.HasSuffix(file, "_test.go")
			if strings.Contains(string(text), "time.Parse(") && !listed {
				t.Errorf("%s reads a time that somebody else's clock made", file)
			}
		}
	}
}
