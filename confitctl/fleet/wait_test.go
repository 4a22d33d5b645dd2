package fleet

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/rollout"
)

// TestWait: it ends when the hash is stable and nobody is in flight, or is rejected. A
// server that is away is waited for.
func TestWait(t *testing.T) {
	for name, tt := range map[string]struct {
		hash     string
		before   func(t *testing.T, s *server) // it began
		meantime func(t *testing.T, s *server)
		want     error
		said     string
	}{
		"accepted": {meantime: func(t *testing.T, s *server) { report(t, s, "1", "B", rollout.Accepted) }, said: "waiting: 0 of 1 canaries have accepted B"},
		"by hash":  {hash: "B", meantime: func(t *testing.T, s *server) { report(t, s, "1", "B", rollout.Accepted) }, said: "waiting: 0 of 1 canaries"},
		"away": {meantime: func(t *testing.T, s *server) {
			s.fails(3, http.StatusServiceUnavailable, meta.StatusReasonServiceUnavailable)
			report(t, s, "1", "B", rollout.Accepted)
		}, said: "waiting: cannot get lease"},
		"rejected": {meantime: func(t *testing.T, s *server) { report(t, s, "1", "B", rollout.RolledBack) }, want: ErrRejected, said: "waiting: 0 of 1"},
		"unknown": {hash: "C", meantime: func(t *testing.T, s *server) {
			report(t, s, "1", "B", rollout.Superseded)
			if err := gate(t, s, "2", "C").Run(bounded(t)); err != nil {
				t.Error(err)
			}
			report(t, s, "2", "C", rollout.Accepted)
		}, said: "waiting: nobody has tried C yet"},
		"never": {meantime: func(*testing.T, *server) {}, want: context.DeadlineExceeded, said: "waiting: 0 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			report(t, s, "1", "A", rollout.Accepted)
			if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
				t.Fatal(err)
			}
			ctx := bounded(t)
			if tt.want != nil && !errors.Is(tt.want, ErrRejected) {
				short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
				ctx = short
			}
			var out bytes.Buffer
			w := Waiter{Store: s.open(t), Hash: tt.hash, Out: &out, poll: time.Millisecond, quiet: 200 * time.Millisecond}
			ended := make(chan error)
			n := s.count()
			go func() { ended <- w.Run(ctx) }()
			for s.count() < n+2 {
				time.Sleep(time.Millisecond)
			}
			tt.meantime(t, s)
			if err := <-ended; !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if !strings.Contains(out.String(), tt.said) {
				t.Errorf("said %q, not %q", out.String(), tt.said)
			}
		})
	}
}

// TestWaitOld: what was rejected before is no news, unless nothing else comes.
func TestWaitOld(t *testing.T) {
	s := newServer(t)
	s.edit(t, func(r rollout.Record) rollout.Record {
		r.Revisions = []*rollout.Revision{{
			Name: "r1", Stable: "A", Trial: &rollout.Trial{Hash: "B", Canaries: 1},
			Rejected: []rollout.Rejection{{Hash: "B", Step: "verify", Pod: "web-\x1b[2J"}},
		}}
		return r
	})
	w := Waiter{Store: s.open(t), Out: &bytes.Buffer{}, poll: time.Millisecond, quiet: 100 * time.Millisecond}
	err := w.Run(bounded(t))
	if !errors.Is(err, ErrRejected) || err.Error() != "the roll-out has failed: B was rejected by web-\ufffd[2J at step verify" {
		t.Errorf("got %v", err)
	}
}
