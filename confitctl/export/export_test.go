package export

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"confit/status"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// ago is so many seconds before now.
func ago(seconds int) status.Time { return status.At(now.Add(-time.Duration(seconds) * time.Second)) }

func state(t *testing.T, s status.Status) Collector {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "status.json"), s.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	return Collector{dir, func() time.Time { return now }}
}

// TestGolden: a status in which everything is said.
func TestGolden(t *testing.T) {
	no := false
	c := state(t, status.Status{
		Confit: "1.2.3", Updated: ago(1), Phase: "running", Degraded: "panic", Trouble: "no space", Stalled: ago(40), LinksChanged: ago(50),
		App: status.App{PID: 7, Started: ago(1000), Restarts: 2, Read: &no, LastExit: &status.Exit{Code: 137, OOMKilled: true},
			Entrypoint: &status.Entrypoint{Program: "bash start.sh", Since: ago(70), Until: ago(-1730)}},
		Mounted:      &status.Mounted{Hash: "cc", Since: ago(30)},
		Live:         &status.Generation{Number: 7, Hash: "bb", Source: "mounted", Since: ago(20)},
		Accepted:     &status.Accepted{Generation: status.Generation{Number: 6, Hash: "aa", Source: "fallback", Since: ago(500)}, Proof: "probation"},
		Candidate:    &status.Generation{Number: 8, Hash: "cc", Source: "mounted"},
		PendingSince: ago(90),
		Rejection:    &status.Rejection{Hash: "cc", Step: "validate", Attempts: 3, Output: "secret", HeldUp: map[string]status.Time{"tls.crt": ago(80), "app.conf": ago(10)}},
		Gate:         &status.Gate{Hash: "cc", Since: ago(60)},
		Report:       &status.Report{Hash: "bb", Outcome: "accepted"},
		Volumes: []status.Volume{
			{Path: "/confit/web", Kind: "atomic", Watched: "inotify"}, {Path: "/srv/app", Kind: "plain", Watched: "polling"},
		},
		Counters: status.Counters{Swaps: 1, Reloads: 2, Rejections: 3, RollBacks: 4, Orphans: 5},
	})
	got := scrape(t, c, "/metrics")
	const file = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got != string(want) {
		t.Errorf("got\n%s\n%v", got, err)
	}
	for _, m := range metrics {
		if name, _, _ := strings.Cut(strings.TrimPrefix(m.desc.String(), `Desc{fqName: "`), `"`); !strings.Contains(got, "\n"+name) {
			t.Errorf("%s isn't in the sample", name)
		}
	}
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// TestUnreadable: no status is one metric, and the exporter stays well.
func TestUnreadable(t *testing.T) {
	c := Collector{filepath.Join(t.TempDir(), "none"), time.Now}
	if got := scrape(t, c, "/metrics"); !strings.HasSuffix(got, "\nconfit_status_readable 0\n") {
		t.Errorf("got\n%s", got)
	}
	if got := scrape(t, c, "/healthz"); got != "ok\n" {
		t.Errorf("got %s", got)
	}
}

// TestNoMetrics: a status that can be read, and that no metrics can be made of.
func TestNoMetrics(t *testing.T) {
	web := status.Volume{Path: "/confit/web", Kind: "atomic", Watched: "inotify"}
	c := state(t, status.Status{Phase: "running", Volumes: []status.Volume{web, web}})
	if got := scrape(t, c, "/metrics"); !strings.HasSuffix(got, "\nconfit_status_readable 0\n") || strings.Contains(got, "confit_phase") {
		t.Errorf("got\n%s", got)
	}
}

// TestVerdicts: a change goes well, and badly.
func TestVerdicts(t *testing.T) {
	mounted := &status.Mounted{Hash: "b"}
	for want, s := range map[string]status.Status{
		"confit_config_last_reload_successful 1":  {Mounted: mounted, PendingSince: ago(1)},
		"confit_config_change_pending_seconds 0":  {Mounted: mounted},
		`confit_config_rejected{step="verify"} 1`: {Mounted: mounted, Rejection: &status.Rejection{Hash: "b", Step: "verify"}},
		"confit_config_last_reload_successful 0":  {Mounted: mounted, Rejection: &status.Rejection{Hash: "b", Step: "verify"}},
		"confit_app_up 0":                         {},
	} {
		if got := scrape(t, state(t, s), "/metrics"); !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

// TestEntrypoint: how long the app has been there, as long as anything waits for it.
func TestEntrypoint(t *testing.T) {
	for name, tt := range map[string]struct {
		at   *status.Entrypoint
		want string
	}{
		"it works":         {&status.Entrypoint{Program: "bash start.sh", Since: ago(90), Until: ago(-1)}, "90"},
		"its time is over": {&status.Entrypoint{Program: "sh loop.sh", Since: ago(301), Until: ago(1)}, "0"},
		"no time is known": {&status.Entrypoint{Program: "sh loop.sh"}, "0"},
		"there is none":    {nil, "0"},
	} {
		got := scrape(t, state(t, status.Status{App: status.App{Entrypoint: tt.at}}), "/metrics")
		if want := "\nconfit_app_entrypoint_seconds " + tt.want + "\n"; !strings.Contains(got, want) || strings.Contains(got, ".sh") {
			t.Errorf("%s: no %q in\n%s", name, want, got)
		}
	}
}

func scrape(t *testing.T, c Collector, path string) string {
	t.Helper()
	server := httptest.NewServer(Handler(c))
	defer server.Close()
	response, err := http.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, response.Status, err)
	}
	return string(body)
}
