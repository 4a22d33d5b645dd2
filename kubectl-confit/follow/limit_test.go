package follow_test

import (
	"context"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
)

// TestWait_longer: an edit that waits for a script which executes nothing has the rest of its five minutes beside the timeout, and no other
// one has.
func TestWait_longer(t *testing.T) {
	for name, tt := range map[string]struct {
		long    time.Duration // that the entrypoint has, from a minute before on
		timeout time.Duration
		want    time.Duration // that is added
	}{
		"a script":           {5 * time.Minute, time.Minute, 4 * time.Minute},
		"another entrypoint": {30 * time.Minute, time.Minute, 0},
		"no timeout":         {5 * time.Minute, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1)
			f.Apply(configMap("2"))
			clock := clocktesting.NewFakeClock(time.Now().Truncate(time.Second))
			f.replicas[0].Bring("/confit/web", map[string]string{"nginx.conf": "2"})
			f.replicas[0].Enter("waiting", "sh loop.sh", clock.Now().Add(-time.Minute), tt.long)
			var added []time.Duration // told by the wait's goroutine, before it answers
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			told := make(chan struct{})
			options := follow.Options{Clock: clock, Timeout: tt.timeout, Longer: func(by time.Duration) { added = append(added, by) }}
			options.Each = func(r verdict.Row) {
				if r.State == verdict.OnItsWay {
					close(told)
				}
			}
			w := f.wait(ctx, options)
			<-told
			timers := 2
			if tt.timeout == 0 {
				timers = 1
			}
			eventually(t, "the pause after the answer", func() bool { return clock.Waiters() == timers })
			if tt.timeout == 0 {
				clock.Step(24 * time.Hour)
				eventually(t, "the next question", func() bool { return f.replicas[0].Asked() > 1 })
				cancel()
				<-w.ended
			} else {
				clock.Step(tt.timeout + tt.want - time.Millisecond)
				eventually(t, "the next question", func() bool { return f.replicas[0].Asked() > 1 && clock.Waiters() == 2 })
				clock.Step(time.Millisecond)
				if got := w.end(t).Result; got.Code != verdict.Wrong {
					t.Errorf("got %+v", got)
				}
			}
			if (len(added) == 1) != (tt.want > 0) || len(added) == 1 && added[0] != tt.want {
				t.Errorf("got %v, want %v", added, tt.want)
			}
		})
	}
}
