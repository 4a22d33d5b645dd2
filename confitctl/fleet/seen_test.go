package fleet

import (
	"context"
	"errors"
	"testing"
	"time"

	"confit/confitctl/memory"
	"confit/confitctl/rollout"
)

// TestMemory: each edit ends one gate and begins another. What the first has seen the
// second knows, but nothing of another Lease or of before the kernel was started.
func TestMemory(t *testing.T) {
	s := newServer(t)
	report(t, s, "1", "A", rollout.Accepted)
	if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	m := memory.Dir(t.TempDir())
	looks := func(hash string) memory.Seen {
		g := gate(t, s, "2", hash)
		g.Memory = m
		ctx, cancel := context.WithCancel(bounded(t))
		defer cancel()
		g.Out = hearer(func() { time.AfterFunc(200*time.Millisecond, cancel) }) // it has looked once then, and looks again
		if err := g.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		return m.Load()
	}
	mark := "r1/1/2"
	first, second := looks("C").Observer.Seen[mark], looks("D").Observer.Seen[mark]
	if second.Since != first.Since || second.For < first.For || second.Since.Date == 0 {
		t.Errorf("the second gate has seen it %+v, the first %+v", second, first)
	}
	now := m.Load()
	now.Boot = "another"
	m.Save(now)
	if s := m.Load(); len(s.Observer.Seen) > 0 || s.Boot == "another" {
		t.Errorf("after a start of the kernel: %+v", s)
	}
	s.objects[leasePath].SetUID("2")
	now = looks("D")
	now.Lease = "1"
	m.Save(now)
	if again := looks("D"); again.Lease != "2" || again.Observer.Seen[mark].For > time.Minute {
		t.Errorf("of another Lease: %+v", again)
	}
}
