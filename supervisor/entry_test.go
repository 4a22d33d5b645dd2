package supervisor

import (
	"testing"
	"time"

	"confit/linker"
)

// TestBegan_again: a look before an edit may take an app for one at its entrypoint that has begun days ago, as gosu is seen in front of it. How
// long its entrypoint took stays what it was.
func TestBegan_again(t *testing.T) {
	for lived, want := range map[time.Duration]time.Duration{5 * time.Second: 5 * time.Second, 48 * time.Hour: 3 * time.Second} {
		i := begins(t, linker.Rung{})
		i.config.EntrypointTimeout = 30 * time.Minute
		i.state.entered = 3 * time.Second
		i.state.app.PID, i.state.app.Since = 20, i.now.Add(-lived)
		i.gives(began{i.now})
		if i.state.entered != want {
			t.Errorf("after %v the entrypoint took %v, want %v", lived, i.state.entered, want)
		}
	}
}
