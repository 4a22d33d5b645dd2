//go:build check

package confit

import (
	"context"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// staysScript executes nothing.
const staysScript = `trap 'exit 7' TERM
echo "read $(cat etc/app/text)"
while :; do sleep 0.05; done`

// A script that executes nothing is left alone until five minutes after it was seen first. Then the edit is taken, and its revert at once.
func TestEntry_stays(t *testing.T) {
	t.Parallel()
	e, argv := newNever(t, staysScript)
	c := e.start(argv...)
	c.Says("read first", 1)
	var until time.Time
	c.tells(0, "five minutes", func(r report) bool {
		if r.App.Entrypoint == nil {
			return false
		}
		until = r.App.Entrypoint.Until
		all := until.Sub(r.App.Started)
		return all >= 5*time.Minute && all < 6*time.Minute
	})
	e.editWaits(c, "second")
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	taken := func() bool { return len(c.Texts("stdout", "read second")) > 0 }
	if !harness.PollEvery(ctx, 100*time.Millisecond, taken) {
		t.Fatal("the edit isn't taken after six minutes")
	}
	if now := time.Now(); now.Before(until) {
		t.Errorf("taken at %v, want not before %v", now, until)
	}
	c.accepts(1)
	e.web.swap(keys{"text": "first"})
	c.Says("read first", 2)
	c.accepts(2)
	c.wantLogged("edit waits for the app's entrypoint", 1)
	c.wantLogged("app started", 3)
}
