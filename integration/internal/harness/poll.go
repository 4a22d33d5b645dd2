package harness

import (
	"context"
	"time"
)

const (
	// Patience is how long a test waits for what must happen. Only a failing test ever waits this long, so it is generous: the
	// machine may be busy, and the race detector may slow the program and its app down tenfold.
	Patience = 60 * time.Second
	// PollInterval is the pause after the first look, short against everything that is waited for.
	PollInterval = 2 * time.Millisecond
	// longestInterval is that of a wait for something slow, such as a probation. A look may take as long as a step of what is tested.
	longestInterval = 20 * time.Millisecond
)

// Poll looks until ok, and tells whether it was before Patience and the context ended. The pause between two looks grows with the wait: to
// an eighth of it, and 20 ms at most.
func Poll(ctx context.Context, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	began := time.Now()
	return poll(ctx, ok, func() time.Duration { return min(max(PollInterval, time.Since(began)/8), longestInterval) })
}

// PollEvery looks until ok, with a pause of its own between two looks, and tells whether it was before the context ended. It looks
// once at least.
func PollEvery(ctx context.Context, pause time.Duration, ok func() bool) bool {
	return poll(ctx, ok, func() time.Duration { return pause })
}

func poll(ctx context.Context, ok func() bool, pause func() time.Duration) bool {
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause()):
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
