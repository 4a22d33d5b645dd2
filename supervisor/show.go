package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"confit/config"
	"confit/supervisor/app"
)

// isFleeting reports a phase that passes by itself within moments. The status leaves it out: the
// app is reloaded first, and nothing is written if no key has changed.
func (s *state) isFleeting(c *config.Config) bool {
	switch s.shown() {
	case staging, publishing, phase(app.Starting):
		return true
	}
	return s.phase == settling && s.settleTime(c) < time.Second
}

// showStatus has status.json replaced.
func (l *loop) showStatus() {
	s := observe(l.Config, l.state)
	s.Confit = l.Version
	l.status.Show(s, l.state.accepted().Sums)
}

// tell has a debug log say an event that changes what confit waits for.
func (l *loop) tell(now time.Time, e event, after *state) {
	if !l.Log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	was, is, due := l.state.waitsFor(), after.waitsFor(), after.due()
	if was == is && due.Equal(l.state.due()) {
		return
	}
	if !due.IsZero() {
		is += " for " + (due.Sub(now) / time.Millisecond * time.Millisecond).String()
	}
	l.Log.Log(context.Background(), slog.LevelDebug, "event taken", "event", fmt.Sprintf("%T", e)[len("supervisor."):],
		"was", was, "now", is)
}

// waitsFor is the phase, and what it doesn't say of what confit waits for.
func (s *state) waitsFor() string {
	more := ""
	switch {
	case s.phase == running && s.pending:
		more = " (the app is about to end)"
	case s.phase == running && !s.readBy.IsZero():
		more = " (the app is to read)"
	case s.phase == running && s.rejected != nil:
		more = " (what is mounted was rejected)"
	case s.phase == gating && !s.hook:
		more = " (not asked yet)"
	case s.phase == proving && s.proof.verifying():
		more = " (verify)"
	case s.phase == proving && s.deadline.After(s.proof.until):
		more = " (READY=1)"
	case s.pending:
		more = " (a look follows)"
	}
	return s.shown().String() + more
}
