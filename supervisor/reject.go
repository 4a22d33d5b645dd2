package supervisor

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"confit/config"
)

// Rejected is why confit left before the app was started.
type Rejected struct {
	Reason error
	Tail   string // the last that the hook printed, when it was a hook
}

func (r *Rejected) Error() string {
	return "cannot start: the first configuration was rejected: " + r.Reason.Error()
}

func (r *Rejected) Unwrap() error { return r.Reason }

// reject drops the candidate, and says what was rejected, what stays in force
// and what to do.
func (t *turn) reject(step string, reason error, tail string) {
	if t.told && t.live.Number == 0 {
		t.keep(step, reason)
		return
	}
	level := slog.LevelError
	again := t.retry.again && t.candidate.Hash == t.rejected
	if again {
		level = slog.LevelWarn
		t.planRetry(2 * t.retry.wait)
	} else {
		t.planRetry(t.config.Retry)
	}
	t.refused, t.rejected = true, t.candidate.Hash
	t.sawRejection(step, reason, tail, again)
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	todo := "mend the configuration: the next change is tried"
	if t.first() && t.live.Number == 0 {
		todo = "mend the configuration and start again"
	} else if !t.retry.at.IsZero() {
		keys = append(keys, "nextTry", t.retry.wait)
	}
	t.say(level, "candidate rejected", append(keys, "live", t.standing(), "todo", todo)...)
	t.abandon(config.ExitRejected, &Rejected{reason, tail})
}

// planRetry sets when the candidate that is being rejected is tried again: what
// it failed of may pass, such as a name that can't be resolved. One that the app
// was told of isn't tried before a change: that would cost service once more.
func (t *turn) planRetry(wait time.Duration) {
	t.retry = retry{}
	if !t.told {
		wait = min(wait, longestRetry)
		t.retry = retry{at: t.now.Add(wait), wait: wait}
	}
}

// abandon ends a transaction that led to nothing. What was published is taken
// back first; at the first start everything is, as it was there before.
func (t *turn) abandon(code int, reason error) {
	t.leaving, t.reason = code, reason
	if t.visible || t.first() {
		t.withdraw()
		return
	}
	t.do(discard{})
	t.giveUp()
}

// standing names the generation that the app goes on with.
func (t *turn) standing() string {
	if t.live.Number == 0 {
		return "none"
	}
	return fmt.Sprintf("generation %d, %v", t.live.Number, t.live.Hash)
}

// withdraw takes the candidate back. Until that has worked nothing else is
// done, but it is tried again.
func (t *turn) withdraw() {
	t.order(withdrawing, withdraw{})
}

func (t *turn) withdrawEnded(e event) {
	switch e := e.(type) {
	case withdrawn:
		t.visible = false
		t.sawLive(t.live)
		if t.told {
			t.rolledBack()
			return
		}
		t.giveUp()
	case failed:
		t.suffer(e.err)
		switch {
		case t.first():
			t.leave(t.leaving, t.reason)
		case t.app.pid == 0: // it waits for this
			t.enter(withdrawing, tryAgain)
		default:
			t.enter(withdrawing, t.config.Rescan)
		}
	}
}

// rolledBack makes the app read the accepted generation, which is in force
// again.
func (t *turn) rolledBack() {
	t.leaving, t.reason = 0, nil
	t.say(slog.LevelInfo, "rolled back", "generation", t.live.Number, "hash", t.live.Hash)
	t.seen.count.RollBacks++
	t.untidy = true // a confit that was killed may have left the one that it was proving
	switch {
	case t.app.pid == 0:
		t.drain()
	case t.ask.Kind == config.None: // the app looks at its files by itself
		t.rest()
	default:
		t.tell()
	}
}

// first reports that the app was never started: what goes wrong now is the end,
// unless a former confit left an accepted generation.
func (t *turn) first() bool { return t.app.group == 0 }

// giveUp goes on with what was accepted before. Without such a thing, before the
// app was ever started, that is the end of confit.
func (t *turn) giveUp() {
	code, reason := t.leaving, t.reason
	t.leaving, t.reason = 0, nil
	switch {
	case !t.first():
		t.rest()
	case t.live.Number != 0 && t.degraded == "":
		t.say(slog.LevelWarn, "starting on the last accepted generation: what is mounted can't be used", "generation", t.live.Number, "hash", t.live.Hash)
		t.untidy = true // what the former confit was proving is no longer needed
		t.start()
	default:
		t.leave(code, reason)
	}
}

// suffer says what the system refused, once. The next rescan tries again.
func (t *turn) suffer(err error) {
	if (!t.first() || t.live.Number != 0) && err.Error() != t.trouble {
		t.say(slog.LevelError, "cannot apply what is mounted", "error", err.Error(), "live", t.standing(), "nextTry", t.config.Rescan)
	}
	t.trouble = err.Error()
	if t.retry.again {
		t.retry.at = t.now.Add(t.retry.wait)
	}
}

// crash makes confit a plain init: it forwards, reaps and passes the exit code
// on, but looks at no volume any more.
func (t *turn) crash(err error) {
	t.say(slog.LevelError, "configuration side broke down: going on as a plain init", "error", err.Error())
	t.degraded, _, _ = strings.Cut(err.Error(), "\n") // the trace is in the log
	t.endHook()
	switch t.phase {
	case restarting, draining, starting, stopping:
	default:
		t.leaving, t.reason = config.ExitSystem, err
		t.giveUp()
	}
}
