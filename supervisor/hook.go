package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// validatesBefore reports whether the hook reads the candidate's directory, so
// that nothing is visible before it was proved.
func (t *transition) validatesBefore() bool {
	return slices.ContainsFunc(t.config.Validate, func(w string) bool { return strings.Contains(w, placeholder) })
}

// run starts the hook of this phase, about the generation that is in force or,
// when it is validated, is to be.
func (t *transition) run(command []string) {
	t.expired = false
	about := t.candidate
	if t.phase != validating {
		about.Generation = t.inForce()
	}
	t.do(runHook{command: command, candidate: about})
}

// hookStartFailed is as good as a hook that fails, but for one: nobody has
// reloaded the app then, so it needn't be reloaded after the roll back, and
// another try costs nothing.
func (t *transition) hookStartFailed(e hookStartFailed) {
	if t.phase == reloading && t.visible {
		t.reloaded = false
	}
	t.hookOver(e.err, "")
}

// expire kills the hook, whose time is up. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, tryAgain)
}

// endHook kills a hook whose outcome no longer matters.
func (t *transition) endHook() {
	if t.hook {
		t.do(killHook{})
		t.hook = false
	}
}

// hookTimeout is how long the hook of this phase may run.
func (t *transition) hookTimeout() time.Duration {
	if t.phase == proving {
		return t.config.VerifyTimeout
	}
	return t.config.ValidateTimeout
}

// hookError is nil for a hook that ended well.
func (t *transition) hookError(s process.Status) error {
	switch {
	case t.expired:
		return fmt.Errorf("hook killed after %v", t.hookTimeout())
	case s.Success():
		return nil
	}
	return fmt.Errorf("hook ended with %v", s)
}

// hookOver is the end of a hook, or of the attempt to run one.
func (t *transition) hookOver(err error, tail string) {
	switch t.phase {
	case validating:
		t.validateEnded(err, tail)
	case reloading:
		t.reloadEnded(err, tail)
	case proving:
		t.verified(err, tail)
	}
}
