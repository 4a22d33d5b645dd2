package people

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"confit/confitctl/rollout"
	"confit/confitctl/screen"
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
		"never": {timeout: 3 * time.Second, want: ErrLate, said: "waiting: 0 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
			var out bytes.Buffer
			w := Waiter{Store: s.open(t), Hash: tt.hash, Begin: time.Minute, Timeout: tt.timeout, Out: &out, poll: time.Millisecond, quiet: 200 * time.Millisecond}
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

// TestWaitLog: a log of a hundred replicas has a line whenever twice as many have accepted it.
func TestWaitLog(t *testing.T) {
	var out bytes.Buffer
	w, said := Waiter{Out: screen.On(&out)}, ""
	for n := range 100 {
		w.say(&said, fmt.Sprint(n, " have accepted B, and some are in flight"))
	}
	w.say(&said, "web-2 has rejected it")
	w.say(&said, "web-3 has rejected it")
	if lines := strings.Count(out.String(), "\n"); lines != 10 || said != "web-3 has rejected it" {
		t.Errorf("%d lines: %s", lines, out.String())
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
	w := Waiter{Store: s.open(t), Begin: DefaultBegin, Hash: "B", Out: &out, poll: time.Millisecond, quiet: 100 * time.Millisecond, clock: clock}
	if err := w.Run(bounded(t)); err != nil || !strings.Contains(out.String(), "web-1 has rejected it at step soak") || now < 10*time.Minute {
		t.Errorf("got %v after %v, said %q", err, now, out.String())
	}
}

// TestWaitInTime: what it waits for is said when the time is over. A look that this cuts off is none: nothing is wrong with the Lease.
func TestWaitInTime(t *testing.T) {
	for name, tt := range map[string]struct {
		mute int
		poll time.Duration
		last string
	}{
		"between two looks": {0, time.Hour, "0 of 1 canaries have accepted B"},
		"in a look":         {1, time.Millisecond, "0 of 1 canaries have accepted B"},
		"in the first look": {-1, time.Millisecond, "the API server has not answered yet"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
			s.edit(func(r rollout.Record) rollout.Record { s.mute = tt.mute; return r })
			var out bytes.Buffer
			w := Waiter{Store: s.open(t), Begin: DefaultBegin, Timeout: 2 * time.Second, Out: &out, poll: tt.poll}
			err := w.Run(bounded(t))
			if want := "the rollout isn't over after 2s; last: " + tt.last; !errors.Is(err, ErrLate) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if strings.Contains(out.String(), "cannot") {
				t.Errorf("said %s", out.String())
			}
		})
	}
}

// TestWaitStopped: a signal that cuts off a look ends the wait, too.
func TestWaitStopped(t *testing.T) {
	s := newServer(t)
	s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
	s.edit(func(r rollout.Record) rollout.Record { s.mute = 1; return r })
	var out bytes.Buffer
	w := Waiter{Store: s.open(t), Begin: DefaultBegin, Out: &out, poll: time.Millisecond}
	ctx, cancel := context.WithCancelCause(bounded(t))
	ended, signal := make(chan error), errors.New("a signal")
	go func() { ended <- w.Run(ctx) }()
	s.wasSeenTimes(t, 2)
	cancel(signal)
	if err := <-ended; !errors.Is(err, signal) || err.Error() != "a signal; last: 0 of 1 canaries have accepted B" || strings.Contains(out.String(), "cannot") {
		t.Errorf("got %v, said %s", err, out.String())
	}
}

// TestWaitOld: what was rejected in the two minutes before counts, unless something else comes.
func TestWaitOld(t *testing.T) {
	s := newServer(t)
	s.edit(func(r rollout.Record) rollout.Record {
		r.Revisions = []*rollout.Revision{{
			Name: "r1", Stable: "A", Trial: &rollout.Trial{Hash: "B", Canaries: 1},
			Rejected: []rollout.Rejection{{Hash: "B", Step: "verify", Pod: "web-\x1b[2J", At: time.Now().Unix() - 60}},
		}}
		return r
	})
	w := Waiter{Store: s.open(t), Begin: DefaultBegin, Out: &bytes.Buffer{}, poll: time.Millisecond, quiet: 100 * time.Millisecond}
	err := w.Run(bounded(t))
	if !errors.Is(err, ErrRejected) || err.Error() != "the rollout has failed: B was rejected by web-\ufffd[2J at step verify" {
		t.Errorf("got %v", err)
	}
}

// TestWaitNothing: what was so long before is no news, and a hash that nobody tries is none. What a pod has mounted says which one is meant,
// and whether its confit has refused that before its gate.
func TestWaitNothing(t *testing.T) {
	const nothing = "nothing is rolled out: nothing has begun for 2m0s: "
	for name, tt := range map[string]struct {
		hash    string
		at      int64 // when the stable hash A became that, before the wait
		mounted []Mount
		want    error
		text    string
	}{
		"long ago":         {at: 150, want: ErrNothing, text: nothing + "what every pod's validator refuses never begins; kubectl confit status says what the pods have"},
		"just now":         {at: 90},
		"unknown":          {at: 150, hash: "C", want: ErrNothing, text: nothing + "nobody has tried C; kubectl confit status says what the pods have"},
		"old one mounted":  {at: 150, mounted: []Mount{{"web-1", "A", ""}}, want: ErrNothing, text: nothing + "what every pod's validator refuses never begins; "},
		"mounted":          {at: 150, mounted: []Mount{{"web-1", "A", ""}, {"web-2", "C", ""}}, want: ErrNothing, text: nothing + "nobody has tried C; "},
		"mounted, refused": {at: 150, mounted: []Mount{{"web-2", "C", "validate: no \x1b"}}, want: ErrRejected, text: "the rollout has failed: web-2 has rejected it before its gate: validate: no \ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.edit(func(r rollout.Record) rollout.Record {
				since := time.Now().Unix() - tt.at
				r.Revisions = []*rollout.Revision{{
					Name: "r1", Stable: "A", Proofs: []rollout.Proof{{Hash: "A", At: since}}, Trial: &rollout.Trial{Hash: "A", Canaries: 1, Accepted: 1, Since: since},
					Rejected: []rollout.Rejection{{Hash: "0", Step: "verify", At: since}},
				}}
				return r
			})
			w := Waiter{Store: s.open(t), Begin: DefaultBegin, Hash: tt.hash, Out: &bytes.Buffer{}, poll: time.Millisecond, quiet: 50 * time.Millisecond}
			if tt.mounted != nil {
				w.Mounted = func(context.Context) []Mount { return tt.mounted }
			}
			if tt.at < 120 { // what was stable again after a rejection is what happened last
				s.edit(func(r rollout.Record) rollout.Record { r.Revisions[0].Rejected[0].At -= 10; return r })
			}
			err := w.Run(bounded(t))
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil || err != nil && !strings.HasPrefix(err.Error(), tt.text) {
				t.Errorf("got %v, want %s", err, tt.text)
			}
		})
	}
}
