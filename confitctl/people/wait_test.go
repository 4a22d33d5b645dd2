package people

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"confit/confitctl/rollout"
)

// TestWait: it ends when the hash is stable and nobody is in flight, or is rejected. A
// server that is away is waited for.
func TestWait(t *testing.T) {
	accepted := [3]string{"1", "B", "accepted"}
	for name, tt := range map[string]struct {
		hash     string
		timeout  time.Duration
		meantime [][3]string
		away     bool
		want     error
		said     string
	}{
		"accepted": {meantime: [][3]string{accepted}, said: "waiting: 0 of 1 canaries have accepted B"},
		"by hash":  {hash: "B", meantime: [][3]string{accepted}, said: "waiting: 0 of 1 canaries"},
		"away":     {away: true, meantime: [][3]string{accepted}, said: "waiting: cannot get lease"},
		"rejected": {meantime: [][3]string{{"1", "B", "rolled-back"}}, want: ErrRejected, said: "waiting: 0 of 1"},
		"unknown": {hash: "C", meantime: [][3]string{{"1", "B", "superseded"}, {"2", "C", ""}, {"2", "C", "accepted"}},
			said: "waiting: nobody has tried C yet"},
		"never": {timeout: 300 * time.Millisecond, want: context.DeadlineExceeded, said: "waiting: 0 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
			var out bytes.Buffer
			w := Waiter{Store: s.open(t), Hash: tt.hash, Timeout: tt.timeout, Out: &out, poll: time.Millisecond, quiet: 200 * time.Millisecond}
			ended := make(chan error)
			go func() { ended <- w.Run(bounded(t)) }()
			s.wasSeen(t, 2)
			if tt.away {
				s.edit(func(r rollout.Record) rollout.Record {
					s.fails = []int{http.StatusServiceUnavailable, http.StatusServiceUnavailable}
					return r
				})
			}
			s.goes(tt.meantime...)
			if err := <-ended; !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if !strings.Contains(out.String(), tt.said) {
				t.Errorf("said %q, not %q", out.String(), tt.said)
			}
		})
	}
}

// TestWaitOver: a verdict that rejects nothing stops others for a while. When that is over it isn't waited for, though no gate
// looks any more that would note it.
func TestWaitOver(t *testing.T) {
	s := newServer(t)
	s.edit(func(r rollout.Record) rollout.Record {
		r.Revisions = []*rollout.Revision{{
			Name: "r1", Stable: "B", Trial: &rollout.Trial{Hash: "B", Canaries: 1, Accepted: 3}, Proofs: []rollout.Proof{{Hash: "B", Accepted: 3, Proved: true}},
			Late: []rollout.Late{{Hash: "B", Pod: "1", Name: "web-1", Step: "soak", Failed: true, Open: true, Bound: 600}},
		}}
		return r
	})
	var out bytes.Buffer
	now := time.Duration(0)
	clock := func() time.Duration { now += time.Minute; return now }
	w := Waiter{Store: s.open(t), Out: &out, poll: time.Millisecond, quiet: 100 * time.Millisecond, clock: clock}
	if err := w.Run(bounded(t)); err != nil || !strings.Contains(out.String(), "web-1 has rejected it at step soak") || now < 10*time.Minute {
		t.Errorf("got %v after %v, said %q", err, now, out.String())
	}
}

// TestWaitInTime: what it waits for is said when the time is over.
func TestWaitInTime(t *testing.T) {
	s := newServer(t)
	s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
	w := Waiter{Store: s.open(t), Timeout: 300 * time.Millisecond, Out: &bytes.Buffer{}}
	err := w.Run(bounded(t))
	const want = "the roll-out isn't over after 300ms: context deadline exceeded; last: 0 of 1 canaries have accepted B"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestWaitOld: what was rejected before is no news, unless nothing else comes.
func TestWaitOld(t *testing.T) {
	s := newServer(t)
	s.edit(func(r rollout.Record) rollout.Record {
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
