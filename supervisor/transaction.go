package supervisor

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// Rejected is why confit left before the app was started.
type Rejected struct {
	Reason error
	Tail   string // the last that the hook printed, when it was a hook
}

func (r *Rejected) Error() string {
	return "cannot start: the first configuration was rejected: " + r.Reason.Error()
}

func (r *Rejected) Unwrap() error { return r.Reason }

// files is the linker's answer to stage, publish or withdraw. One that comes
// when nobody waits any more, as after a stop, changes nothing.
func (t *turn) files(e event) {
	t.busy = false
	if e, ok := e.(crashed); ok {
		t.crash(e.err)
		return
	}
	switch t.phase {
	case staging:
		t.looked(e)
	case publishing:
		t.publishEnded(e)
	case withdrawing:
		t.withdrawEnded(e)
	}
}

// looked is the end of staging.
func (t *turn) looked(e event) {
	switch e := e.(type) {
	case unchanged:
		t.rest()
	case staged:
		t.consider(e)
	case invalid:
		t.reject("stage", e.reason, "")
	case failed:
		t.suffer(e.err)
		t.giveUp(config.ExitSystem, e.err)
	}
}

// consider compares a candidate with what is live and with what was rejected.
func (t *turn) consider(e staged) {
	t.single, t.trouble = e.candidate.Single, ""
	switch {
	case t.live.Number != 0 && e.candidate.Hash == t.live.Hash:
		if t.refused {
			t.say(slog.LevelInfo, "mounted configuration is live again", "generation", t.live.Number, "hash", t.live.Hash)
		}
		t.refused = false
		t.do(discard{})
		t.rest()
	case t.refused && e.candidate.Hash == t.rejected:
		t.do(discard{})
		t.rest()
	default:
		t.candidate, t.ask = e.candidate, e.ask
		if t.validatesBefore() {
			t.validate()
		} else {
			t.publish()
		}
	}
}

// validatesBefore reports whether the hook reads the candidate's directory, so
// that nothing is visible before it was proved.
func (t *turn) validatesBefore() bool {
	return slices.ContainsFunc(t.config.Validate, func(w string) bool { return strings.Contains(w, placeholder) })
}

func (t *turn) validate() {
	t.enter(validating, t.config.ValidateTimeout)
	t.run(t.config.Validate)
}

func (t *turn) run(command []string) {
	t.expired = false
	t.do(runHook{command: command, candidate: t.candidate})
}

func (t *turn) publish() {
	t.order(publishing, publish{})
}

func (t *turn) publishEnded(e event) {
	switch e := e.(type) {
	case published:
		t.visible = true
		t.say(slog.LevelInfo, "generation published", "generation", t.candidate.Number, "hash", t.candidate.Hash, "changed", len(t.candidate.Changes))
		if len(t.config.Validate) > 0 && !t.validatesBefore() {
			t.validate()
		} else {
			t.accept()
		}
	case superseded:
		t.do(discard{})
		t.look()
	case failed:
		t.suffer(e.err)
		t.leaving, t.reason = config.ExitSystem, e.err
		t.withdraw()
	}
}

// accept makes the candidate live and tells the app.
func (t *turn) accept() {
	t.do(accept{})
	t.live, t.refused, t.untidy = t.candidate.Generation, false, true
	switch {
	case t.first():
		t.start()
	case t.app.pid == 0:
		t.drain()
	default:
		t.tell()
	}
}

// reject drops the candidate, and says what was rejected, what stays in force
// and what to do.
func (t *turn) reject(step string, reason error, tail string) {
	t.refused, t.rejected = true, t.candidate.Hash
	t.leaving, t.reason = config.ExitRejected, &Rejected{reason, tail}
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	todo := "mend the configuration: the next change is tried"
	if t.first() {
		todo = "mend the configuration and start again"
	}
	t.say(slog.LevelError, "candidate rejected", append(keys, "live", t.inForce(), "todo", todo)...)
	if t.visible || t.first() { // nothing of it may be left when confit leaves
		t.withdraw()
		return
	}
	t.do(discard{})
	t.giveUp(t.leaving, t.reason)
}

// inForce names the generation that the app goes on with.
func (t *turn) inForce() string {
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
		t.giveUp(t.leaving, t.reason)
	case failed:
		t.suffer(e.err)
		if t.first() {
			t.leave(t.leaving, t.reason)
			return
		}
		t.enter(withdrawing, t.config.Rescan)
	}
}

// first reports that the app was never started: what goes wrong now is the end.
func (t *turn) first() bool { return t.app.group == 0 }

// giveUp ends a transaction that led to nothing. Before the app was ever
// started that is the end of confit, too.
func (t *turn) giveUp(code int, reason error) {
	t.leaving, t.reason = 0, nil
	if t.first() {
		t.leave(code, reason)
		return
	}
	t.rest()
}

// suffer says what the system refused, once. The next rescan tries again.
func (t *turn) suffer(err error) {
	if !t.first() && err.Error() != t.trouble {
		t.say(slog.LevelError, "cannot apply what is mounted", "error", err.Error(), "live", t.inForce(), "nextTry", t.config.Rescan)
	}
	t.trouble = err.Error()
}

// crash makes confit a plain init: it forwards, reaps and passes the exit code
// on, but looks at no volume any more.
func (t *turn) crash(err error) {
	t.say(slog.LevelError, "configuration side broke down: going on as a plain init", "error", err.Error())
	t.degraded = true
	t.endHook()
	switch t.phase {
	case restarting, draining, starting, stopping:
	default:
		t.giveUp(config.ExitSystem, err)
	}
}

// expire kills the hook, whose time is up. Its end is an event like any other.
func (t *turn) expire() {
	t.expired = true
	t.do(killHook{t.hook})
	t.enter(t.phase, tryAgain)
}

// hookError is nil for a hook that ended well.
func (t *turn) hookError(s process.Status) error {
	switch {
	case t.expired:
		return fmt.Errorf("hook killed after %v", t.config.ValidateTimeout)
	case s.Success():
		return nil
	}
	return fmt.Errorf("hook ended with %v", s)
}

// hookOver is the end of a hook, or of the attempt to run one.
func (t *turn) hookOver(err error, tail string) {
	switch {
	case t.phase == telling:
		t.reloaded(err)
	case t.phase != validating:
	case err != nil:
		t.reject("validate", err, tail)
	case t.visible:
		t.accept()
	default:
		t.publish()
	}
}

// strongest is what a candidate's changes ask for: the strongest of the
// actions of their links; of two as strong, that of the first link. A key
// whose mode alone changed asks for nothing.
func strongest(c *config.Config, changes []linker.Change) config.Action {
	ask, from := config.Action{Kind: config.None}, -1
	for _, change := range changes {
		if change.ModeOnly {
			continue
		}
		for _, i := range change.Links {
			a := c.Reload
			if r := c.Links[i].Reload; r != nil {
				a = *r
			}
			if a.Kind > ask.Kind || a.Kind == ask.Kind && i < from {
				ask, from = a, i
			}
		}
	}
	return ask
}
