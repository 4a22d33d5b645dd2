package harness

import (
	"context"
	"time"
)

const (
	// Patience is how long a test waits for what must happen. Only a failing test ever waits this long, so it is generous: the
	// machine may be busy, and the race detector may slow the program and its app down tenfold.
	Patience = 60 * time.Second
	// PollInterval is the pause between two looks, short against everything that is waited for.
	PollInterval = 2 * time.Millisecond
)

// Poll looks until ok, and tells whether it was before Patience and the context ended.
func Poll(ctx context.Context, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	return PollEvery(ctx, PollInterval, ok)
}

// PollEvery looks until ok, with a pause of its own between two looks, and tells whether it was before the context ended. It looks
// once at least.
func PollEvery(ctx context.Context, pause time.Duration, ok func() bool) bool {
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// Eventually polls until ok, and fails the test when that takes longer than Patience.
func Eventually(t T, what string, ok func() bool) {
	t.Helper()
	if !Poll(context.Background(), ok) {
		t.Fatalf("not within %v: %s", Patience, what)
	}
}
