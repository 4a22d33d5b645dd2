package fleet

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/rollout"
)

func replica(pod, hash string) rollout.Replica {
	return rollout.Replica{Revision: "r1", Pod: pod, PodName: "web-" + pod, Hash: hash, Accepted: "A", Bound: time.Minute}
}

func gate(t *testing.T, s *server, pod, hash string) *Gate {
	p, err := rollout.ParseParallel("25%")
	if err != nil {
		t.Fatal(err)
	}
	return &Gate{
		Store: s.open(t), Me: replica(pod, hash), Policy: rollout.Policy{Canaries: 1, Parallel: p},
		Out: &bytes.Buffer{}, poll: time.Millisecond,
	}
}

// hearer is called when a gate says why it waits.
type hearer func()

func (h hearer) Write(p []byte) (int, error) { h(); return len(p), nil }

// bounded is a context that ends the test before it hangs.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func report(t *testing.T, s *server, pod, hash string, kind rollout.Kind) {
	t.Helper()
	_, err := Report(bounded(t), s.open(t), replica(pod, hash), rollout.Outcome{Kind: kind, Step: "probation", Source: "mounted"})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRollOut: a canary, then the others, until somebody rejects.
func TestRollOut(t *testing.T) {
	s := newServer(t)
	report(t, s, "1", "A", rollout.Accepted)
	if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	second, passed := gate(t, s, "2", "B"), make(chan error)
	go func() { passed <- second.Run(bounded(t)) }()
	for n := s.count(); s.count() < n+3; {
		time.Sleep(time.Millisecond)
	}
	report(t, s, "1", "B", rollout.Accepted)
	if err := <-passed; err != nil {
		t.Fatal(err)
	}
	if said := second.Out.(*bytes.Buffer).String(); said != "waiting: a canary is on its way\n" {
		t.Errorf("said %q", said)
	}
	report(t, s, "2", "B", rollout.RolledBack)
	err := gate(t, s, "3", "B").Run(bounded(t))
	if !errors.Is(err, ErrRefused) || err.Error() != "the gate is closed: B was rejected by web-2 at step probation" {
		t.Errorf("got %v", err)
	}
	if s.objects[leasePath].GetLabels()["app"] != "web" {
		t.Error("an update lost the labels")
	}
}

// TestConflicts: many replicas report at once, and each counts once.
func TestConflicts(t *testing.T) {
	s := newServer(t)
	s.edit(t, func(r rollout.Record) rollout.Record {
		trial := &rollout.Trial{Hash: "B", Canaries: 1}
		for i := range 20 {
			trial.Holds = append(trial.Holds, rollout.Hold{Pod: string(rune('a' + i)), Bound: 60, Serial: i})
		}
		r.Revisions = []*rollout.Revision{{Name: "r1", Stable: "B", Trial: trial}}
		return r
	})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { report(t, s, string(rune('a'+i)), "B", rollout.Accepted) })
	}
	all.Wait()
	if trial := s.record(t).Revisions[0].Trial; trial.Accepted != 20 || len(trial.Holds) != 0 {
		t.Errorf("%d accepted, %d left", trial.Accepted, len(trial.Holds))
	}
}

// TestLostAnswer: the update is stored, but its answer doesn't arrive. The gate
// finds its own hold, and passes.
func TestLostAnswer(t *testing.T) {
	s := newServer(t)
	report(t, s, "1", "A", rollout.Accepted)
	s.next(func(http.ResponseWriter, *http.Request) bool { return false })
	s.next(func(w http.ResponseWriter, r *http.Request) bool {
		s.mu.Lock()
		s.put(&lost{}, r)
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	})
	if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if holds := s.record(t).Revisions[0].Trial.Holds; len(holds) != 1 || holds[0].Serial != 3 {
		t.Errorf("holds %v; one, taken over, was wanted", holds)
	}
}

type lost struct{}

func (*lost) Header() http.Header         { return http.Header{} }
func (*lost) Write(b []byte) (int, error) { return len(b), nil }
func (*lost) WriteHeader(int)             {}

// TestAway: whatever passes by itself is waited for, and said once.
func TestAway(t *testing.T) {
	s := newServer(t)
	s.fails(3, http.StatusInternalServerError, meta.StatusReasonInternalError)
	s.fails(1, http.StatusServiceUnavailable, meta.StatusReasonServiceUnavailable)
	s.next(func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	g := gate(t, s, "1", "B")
	if err := g.Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	said := strings.Split(strings.TrimSpace(g.Out.(*bytes.Buffer).String()), "\n")
	if len(said) != 2 || !strings.Contains(said[0], `waiting: cannot get lease "web" in namespace "prod": `) {
		t.Errorf("said %q", said)
	}
}

// TestRetryAfter: the server is left alone for as long as it asks.
func TestRetryAfter(t *testing.T) {
	s := newServer(t)
	var asked time.Time
	s.next(func(w http.ResponseWriter, _ *http.Request) bool {
		asked = time.Now()
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
		return true
	})
	if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if since := time.Since(asked); since < time.Second {
		t.Errorf("asked again after %s", since)
	}
}

// TestFinal: what only a person can fix ends the gate and the report, in one
// line that says what to write.
func TestFinal(t *testing.T) {
	for want, tt := range map[string]struct {
		code   int
		reason meta.StatusReason
	}{
		`cannot get lease "web" in namespace "prod": there is none; the manifest has to make it`: {http.StatusNotFound, meta.StatusReasonNotFound},
		`cannot get lease "web" in namespace "prod": forbidden; allow "get" on resource "leases" of group "coordination.k8s.io", ` +
			`resourceNames ["web"]: says the server: Forbidden`: {http.StatusForbidden, meta.StatusReasonForbidden},
		`cannot get lease "web" in namespace "prod": says the server: Unauthorized`: {http.StatusUnauthorized, meta.StatusReasonUnauthorized},
	} {
		s := newServer(t)
		s.fails(2, tt.code, tt.reason)
		if err := gate(t, s, "1", "B").Run(bounded(t)); err == nil || err.Error() != want {
			t.Errorf("gate: got %v, want %s", err, want)
		}
		_, err := Report(bounded(t), s.open(t), replica("1", "B"), rollout.Outcome{Kind: rollout.Accepted})
		if err == nil || err.Error() != want {
			t.Errorf("report: got %v, want %s", err, want)
		}
	}
}

// TestUpdateForbidden: the verb that is missing is named.
func TestUpdateForbidden(t *testing.T) {
	s := newServer(t)
	s.next(func(http.ResponseWriter, *http.Request) bool { return false })
	s.fails(1, http.StatusForbidden, meta.StatusReasonForbidden)
	err := gate(t, s, "1", "B").Run(bounded(t))
	if err == nil || !strings.Contains(err.Error(), `cannot update lease "web" in namespace "prod": forbidden; allow "update" on`) {
		t.Errorf("got %v", err)
	}
}

// TestStop: a gate that waits ends at once, with the reason, also while a
// request hangs.
func TestStop(t *testing.T) {
	stop := errors.New("stop")
	for _, hangs := range []bool{false, true} {
		s := newServer(t)
		report(t, s, "1", "A", rollout.Accepted)
		if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(bounded(t))
		g := gate(t, s, "2", "B")
		g.poll = time.Hour
		n := s.count()
		if hangs {
			s.next(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
		}
		ended := make(chan error)
		go func() { ended <- g.Run(ctx) }()
		for s.count() == n {
			time.Sleep(time.Millisecond)
		}
		cancel(stop)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	}
}

// TestStarting: a replica that starts doesn't wait, for its turn or for the
// server.
func TestStarting(t *testing.T) {
	s := newServer(t)
	report(t, s, "1", "A", rollout.Accepted)
	if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	g := gate(t, s, "2", "B")
	g.poll, g.Me.Starting = time.Hour, true
	if err := g.Run(bounded(t)); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	s.fails(1, http.StatusInternalServerError, meta.StatusReasonInternalError)
	if err := g.Run(bounded(t)); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	g.Me.Hash = "A"
	if err := g.Run(bounded(t)); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestReportGivesUp: the report ends with its context, and says why.
func TestReportGivesUp(t *testing.T) {
	s := newServer(t)
	s.fails(100, http.StatusInternalServerError, meta.StatusReasonInternalError)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := Report(ctx, s.open(t), replica("1", "B"), rollout.Outcome{Kind: rollout.Accepted})
	if err == nil || !strings.Contains(err.Error(), "gave up after 1 tries") && !strings.Contains(err.Error(), "deadline") {
		t.Errorf("got %v", err)
	}
}
