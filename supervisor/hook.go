package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"confit/config"
	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// validatesBefore reports whether the hook reads the candidate's directory, so
// that nothing is visible before it was proved.
func (t *turn) validatesBefore() bool {
	return slices.ContainsFunc(t.config.Validate, func(w string) bool { return strings.Contains(w, placeholder) })
}

// run starts a hook, about the generation that is in force or is to be.
func (t *turn) run(command []string) {
	t.expired = false
	about := t.candidate
	if t.restored() {
		about.Generation = t.live
	}
	t.do(runHook{command: command, candidate: about})
}

// expire kills the hook, whose time is up. Its end is an event like any other.
func (t *turn) expire() {
	t.expired = true
	t.do(killHook{t.hook})
	t.enter(t.phase, tryAgain)
}

// hookTimeout is how long the hook of this phase may run.
func (t *turn) hookTimeout() time.Duration {
	if t.phase == proving {
		return t.config.VerifyTimeout
	}
	return t.config.ValidateTimeout
}

// hookError is nil for a hook that ended well.
func (t *turn) hookError(s process.Status) error {
	switch {
	case t.expired:
		return fmt.Errorf("hook killed after %v", t.hookTimeout())
	case s.Success():
		return nil
	}
	return fmt.Errorf("hook ended with %v", s)
}

// hookOver is the end of a hook, or of the attempt to run one.
func (t *turn) hookOver(err error, tail string) {
	switch {
	case t.phase == telling && t.ask.Kind == config.Exec:
		t.reloaded(err, tail)
	case t.phase == proving:
		t.verified(err, tail)
	case t.phase != validating:
	case err != nil:
		t.reject("validate", err, tail)
	case t.visible:
		t.try()
	default:
		t.splay()
	}
}
