package integration

import (
	"testing"
	"time"
)

const (
	// patience is how long a test waits for what must happen. Only a failing test ever waits this long, so it is generous:
	// the machine may be busy, and confit and the app may be slowed down tenfold by the race detector.
	patience = 60 * time.Second
	// pollInterval is short against everything that is waited for.
	pollInterval = 2 * time.Millisecond
)

// eventually polls until ok, and fails the test when that takes longer than patience.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
