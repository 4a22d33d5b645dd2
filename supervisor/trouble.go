package supervisor

import (
	"log/slog"
	"strings"
	"time"

	"confit/process"
)

func (t *transition) onMended(e mended) { // the linker has logged it
	t.drift = ""
	if e.err != nil {
		t.drift = e.err.Error()
	}
}

func (t *transition) onCrashed(e crashed) {
	t.busy, t.stalled = false, time.Time{}
	t.crash(e.err)
}

// crash leaves the app's half alone: a plain init, which forwards signals, reaps and
// passes the exit code on. Nobody looks at a volume any more. An app that is down is
// started once more on what is accepted.
func (t *transition) crash(err error) {
	t.say(slog.LevelError, "configuration side broke down: going on as a plain init", "error", err.Error())
	t.degraded, _, _ = strings.Cut(err.Error(), "\n") // the trace is in the log
	t.endHook()
	t.outcomes.storing, t.peeking = false, false
	t.phase, t.deadline = broken, noDeadline
	switch t.app.phase {
	case probing, delivering:
		t.keeper().become(up)
	case down:
		t.startOnce(exit{process.ExitSystem, err})
	}
}

func (t *transition) startOnce(orElse exit) {
	switch {
	case t.neverStarted():
		t.leave(orElse)
	case t.hasAccepted():
		t.drain(startAgain)
	default: // something of the app may be left
		t.endWith(orElse)
	}
}
