package supervisor

import (
	"log/slog"
	"strings"
	"time"

	"confit/process"
)

// remind logs that the linker's answer is late.
func (t *transition) remind() {
	t.say(slog.LevelWarn, "the volumes or the state directory don't answer", "phase", t.phase.String(), "waited", linkerPatience)
	if t.stalled.IsZero() {
		t.stalled = t.now.Add(-linkerPatience)
	}
	t.enter(t.phase, linkerPatience)
}

// reportSystemError logs what the system refused, once. The next rescan tries
// again.
func (t *transition) reportSystemError(err error) {
	if !t.nothingToStartOn() && err.Error() != t.trouble {
		t.say(slog.LevelError, "cannot apply what is mounted", "error", err.Error(), "live", t.standing(), "nextTry", t.config.Rescan)
	}
	t.trouble = err.Error()
	if t.isRetry {
		t.rejection.nextTry = t.now.Add(t.rejection.wait)
	}
}

func (e mended) occur(t *transition) { // the linker has logged it
	t.drift = ""
	if e.err != nil {
		t.drift = e.err.Error()
	}
}

// refused ends a transaction because the system refused the linker something.
func (t *transition) refused(step string, err error) {
	if t.onFallback() {
		t.rejectFallback(step, err)
		return
	}
	t.reportSystemError(err)
	t.abandon(exit{process.ExitSystem, err})
}

// isPlainInit reports that the configuration side broke down.
func (s *state) isPlainInit() bool { return s.degraded != "" }

func (e crashed) occur(t *transition) {
	t.busy, t.stalled = false, time.Time{}
	t.crash(e.err)
}

// crash makes confit a plain init, which forwards signals, reaps and passes the
// exit code on, and looks at no volume any more.
func (t *transition) crash(err error) {
	t.say(slog.LevelError, "configuration side broke down: going on as a plain init", "error", err.Error())
	t.degraded, _, _ = strings.Cut(err.Error(), "\n") // the trace is in the log
	t.endHook()
	t.outcomes.storing, t.peeking = false, false
	switch t.app.phase {
	case restarting, draining, starting, stopping:
	case probing, delivering:
		t.keeper().settle(up)
		fallthrough
	default:
		t.lastResort = exit{process.ExitSystem, err}
		t.giveUp()
	}
}
