package fleet

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"confit/confitctl/rollout"
)

// TestNewerRecord: what a newer confitctl wrote isn't touched.
func TestNewerRecord(t *testing.T) {
	s := newServer(t)
	s.write(`{"version": 2, "revisions": {}}`)
	err := gate(t, s, "1", "B").Run(bounded(t))
	if err == nil || err.Error() != "cannot read the roll-out: it is of version 2, this confitctl knows version 1" {
		t.Errorf("got %v", err)
	}
}

// TestTooLarge: a record that somebody made too large to store stops the
// roll-out, with the reason; not the replicas that have nothing to store.
func TestTooLarge(t *testing.T) {
	s := newServer(t)
	s.write(`{"snapshot": "` + strings.Repeat("a", rollout.MaxSize) + `"}`)
	if err := gate(t, s, "1", "A").Run(bounded(t)); err != nil {
		t.Errorf("back to what is accepted: got %v", err)
	}
	g := gate(t, s, "1", "B")
	g.Me.Starting = true
	if err := g.Run(bounded(t)); err != nil {
		t.Errorf("a start of the first hash: got %v", err)
	}
	g.Me.Starting = false
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := g.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if said := g.Out.(*bytes.Buffer).String(); !strings.Contains(said, "waiting: cannot store the roll-out: it has ") {
		t.Errorf("said %q", said)
	}
}
