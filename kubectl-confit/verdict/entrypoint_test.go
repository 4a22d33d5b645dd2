package verdict_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// entrypoint has an app at its entrypoint since its start, for so long at most.
func entrypoint(phase string, long time.Duration) func(s *status.Status) {
	return func(s *status.Status) {
		s.Phase, s.PendingSince = phase, at(2*time.Minute)
		s.App.Entrypoint = &status.Entrypoint{Program: "\x1bbash start.sh", Since: at(0), Until: at(long)}
		if phase == "beginning" {
			s.Live = &status.Generation{Hash: "mounted", Since: at(4 * time.Minute)}
		}
	}
}

// behind has what is mounted wait for the proof of something else.
func behind(accepted string) func(s *status.Status) {
	return func(s *status.Status) {
		entrypoint("beginning", 30*time.Minute)(s)
		s.Live.Hash = "other"
		if accepted != "" {
			s.Accepted.Hash, s.Mounted.Keys = s.Mounted.Hash, nil
		}
	}
}

// TestJudge_entrypoint: what waits for the app's entrypoint is on its way, or live, and why is said.
func TestJudge_entrypoint(t *testing.T) {
	const script = "the app's entrypoint \uFFFDbash start.sh, until 2026-11-23T09:30:00Z at the latest"
	unknown := func(s *status.Status) {
		entrypoint("waiting", 0)(s)
		s.App.Entrypoint.Program, s.App.Entrypoint.Until = "", "\x1b[31m"
	}
	for name, tt := range map[string]struct {
		change func(s *status.Status)
		has    string
		want   string
		waits  bool
	}{
		"an edit waits":               {entrypoint("waiting", 30*time.Minute), "2", "on its way 2m confit waits for " + script, true},
		"it is checked before":        {entrypoint("validating", 30*time.Minute), "2", "on its way 2m confit is validating", false},
		"another edit":                {entrypoint("waiting", 30*time.Minute), "3", "behind - the kubelet has not brought it yet", false},
		"the accepted one":            {entrypoint("waiting", 30*time.Minute), "1", "accepted 1m ", false},
		"a proof waits":               {entrypoint("beginning", 30*time.Minute), "2", "live 4m the app has it; confit waits for " + script + ", and then for the proof", true},
		"another edit behind a proof": {behind(""), "2", "on its way 2m confit waits for " + script, true},
		"the accepted one behind it":  {behind("accepted"), "1", "on its way 2m confit waits for " + script, true},
		"an edit that is not there":   {entrypoint("beginning", 30*time.Minute), "3", "behind - the kubelet has not brought it yet", false},
		"nothing is known of it":      {func(s *status.Status) { s.Phase = "waiting" }, "2", "on its way 2m confit waits for the app's entrypoint", true},
		"nothing is true of it":       {unknown, "2", "on its way 2m confit waits for the app's entrypoint", true},
		"the system refuses": {func(s *status.Status) {
			entrypoint("waiting", 30*time.Minute)(s)
			s.Trouble = "no space"
		}, "2", "stuck - the system refuses: no space", false},
	} {
		p, c := inWeb(t, "configMap: {name: web}")
		r := verdict.Judge(p, c, verdict.Answer{Status: says(tt.change)}, verdict.Objects{web: holding(web, "a", tt.has)}, nil)
		if got := brief(r); got != tt.want || r.Waits != tt.waits {
			t.Errorf("%s: got %q, %v, want %q", name, got, r.Waits, tt.want)
		}
	}
	p, c := inWeb(t, "configMap: {name: web}")
	alone := verdict.Judge(p, c, verdict.Answer{Status: says(entrypoint("beginning", 30*time.Minute))}, nil, nil)
	if got := brief(alone); got != "on its way - confit waits for "+script {
		t.Errorf("without the API: got %q", got)
	}
}

// waitFor is a wait for a=2, to whose pods their confits say something.
type waitFor struct {
	*verdict.Wait
	t *testing.T
}

func newWaitFor(t *testing.T, soak bool, names ...string) waitFor {
	t.Helper()
	w := waitFor{verdict.NewWait(verdict.Objects{web: holding(web, "a", "2")}, soak, false), t}
	for _, name := range names {
		w.SeePod(began, podOf(t, name))
	}
	w.Synced()
	return w
}

func podOf(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	p, _ := inWeb(t, "configMap: {name: web}")
	p.Name, p.UID = name, types.UID(name)
	return p
}

// says tells what the confit of a pod says.
func (w waitFor) says(now time.Time, name string, change func(s *status.Status)) *verdict.Row {
	w.t.Helper()
	for _, q := range w.Questions(now) {
		if q.Pod == name {
			return w.Tell(now, q, verdict.Answer{Status: says(change)})
		}
	}
	p := podOf(w.t, name) // another run is asked at once
	p.Status.ContainerStatuses[0].ContainerID = now.String()
	w.SeePod(now, p)
	for _, q := range w.Questions(now) {
		if q.Pod == name {
			return w.Tell(now, q, verdict.Answer{Status: says(change)})
		}
	}
	w.t.Fatalf("nobody asks %s", name)
	return nil
}

// TestWait_longer: the rest of the five minutes of a script that executes nothing is added, whoever waits for one, once for the same time
// and five minutes at most. The time of any other entrypoint isn't.
func TestWait_longer(t *testing.T) {
	const script = 5 * time.Minute
	minute := func(n float64) time.Time { return began.Add(time.Duration(n * float64(time.Minute))) }
	type told struct {
		at     float64
		pod    string
		change func(s *status.Status)
		want   time.Duration
	}
	fresh := func(s *status.Status) { // a script that was seen first in minute 4
		entrypoint("waiting", 9*time.Minute)(s)
		s.App.Entrypoint.Since = at(4 * time.Minute)
	}
	soon := func(s *status.Status) { // on a node whose clock is an hour ahead
		entrypoint("waiting", time.Hour+script)(s)
		s.App.Entrypoint.Since = at(time.Hour)
	}
	for name, list := range map[string][]told{
		"once":            {{1, "a", entrypoint("waiting", script), 4 * time.Minute}, {1, "a", entrypoint("waiting", script), 0}},
		"of two together": {{1, "a", entrypoint("waiting", script), 4 * time.Minute}, {1.5, "b", entrypoint("waiting", script), 0}},
		"of a later one":  {{3, "a", entrypoint("waiting", script), 2 * time.Minute}, {4, "b", fresh, 3 * time.Minute}},
		"five minutes":    {{1, "a", entrypoint("waiting", script), 4 * time.Minute}, {4.5, "b", fresh, time.Minute}},
		"a wrong clock":   {{1, "a", soon, 5 * time.Minute}, {2, "b", soon, 0}},
		"over":            {{6, "a", entrypoint("waiting", script), 0}},
		"another timeout": {{1, "a", entrypoint("waiting", 30*time.Minute), 0}, {1, "b", entrypoint("waiting", 20*time.Second), 0}},
		"a proof":         {{1, "a", entrypoint("beginning", script), 0}},
		"no edit":         {{1, "a", entrypoint("validating", script), 0}, {1, "b", func(*status.Status) {}, 0}},
	} {
		w := newWaitFor(t, false, "a", "b")
		for i, tell := range list {
			w.says(minute(tell.at), tell.pod, tell.change)
			if got := w.Longer(minute(tell.at)); got != tell.want {
				t.Errorf("%s, answer %d: got %v, want %v", name, i, got, tell.want)
			}
		}
	}
}

// TestWait_lateAtEntrypoint: what is said when the time is over names who waits for an entrypoint, before those that wait for them.
func TestWait_lateAtEntrypoint(t *testing.T) {
	w := newWaitFor(t, false, "a", "b", "c")
	w.says(began, "a", func(s *status.Status) { s.Mounted = nil })
	w.says(began, "b", entrypoint("waiting", 30*time.Minute))
	w.says(began, "c", entrypoint("waiting", 30*time.Minute))
	const want = "the time is over: 0 of 3 containers accepted configmap/web; pod b, container c is on its way: " +
		"confit waits for the app's entrypoint \uFFFDbash start.sh, until 2026-11-23T09:30:00Z at the latest; and 2 more"
	if got := w.Late(); got.Why != want {
		t.Errorf("got %s", got.Why)
	}
}

// TestWait_soakAtEntrypoint: an app at its entrypoint soaks nothing, so neither a wait with --soak is over, nor one of a container that was
// restarted since it accepted it.
func TestWait_soakAtEntrypoint(t *testing.T) {
	accepted := func(s *status.Status) {
		entrypoint("running", 30*time.Minute)(s)
		s.Keys["web/a"], s.PendingSince = sum("2"), ""
		s.Mounted.Keys = nil
	}
	restarted := podOf(t, "a")
	c := &restarted.Status.ContainerStatuses[0]
	c.RestartCount, c.ContainerID, c.State.Running.StartedAt = 1, "again", metav1.NewTime(began.Add(10*time.Minute))
	const lives = "the app has to live with it for --soak"
	const script = "; it is at its entrypoint \uFFFDbash start.sh, until 2026-11-23T09:30:00Z at the latest"
	for name, tt := range map[string]struct {
		soak   bool
		change func(w waitFor)
		want   string
	}{
		"--soak":  {true, func(waitFor) {}, "accepted 1m " + lives + script},
		"a death": {false, func(w waitFor) { w.SeePod(began, restarted) }, "live 1m its container was restarted since it accepted it: " + lives + script},
	} {
		w := newWaitFor(t, tt.soak, "a")
		tt.change(w)
		now := began.Add(11 * time.Minute)
		if r := w.says(now, "a", accepted); brief(*r) != tt.want {
			t.Errorf("%s: got %q", name, brief(*r))
		}
		if r := w.Result(); r != nil || !strings.Contains(w.Late().Why, script) {
			t.Errorf("%s: got %+v, %s", name, r, w.Late().Why)
		}
	}
	w := newWaitFor(t, true, "a")
	w.says(began, "a", func(s *status.Status) {
		accepted(s)
		s.App.Entrypoint.Until = at(5 * time.Minute) // it has begun at its start
		s.Accepted.SoaksAt = at(time.Hour)
	})
	if got := w.Rows()[0].Why; got != lives+", until 2026-11-23T10:00:00Z" {
		t.Errorf("got %q", got)
	}
}

// TestWords_ofPrograms: the name of a program can't command a terminal.
func TestWords_ofPrograms(t *testing.T) {
	p, c := inWeb(t, "configMap: {name: web}")
	for _, phase := range []string{"waiting", "beginning"} {
		s := says(entrypoint(phase, time.Hour))
		s.App.Entrypoint.Program = "sh\n\x1b[2J\u202e"
		r := verdict.Judge(p, c, verdict.Answer{Status: s}, verdict.Objects{web: holding(web, "a", "2")}, []pods.Object{web})
		if status.Clean(r.Why) != r.Why || !strings.Contains(r.Why, "entrypoint sh ") {
			t.Errorf("%q", r.Why)
		}
	}
}
