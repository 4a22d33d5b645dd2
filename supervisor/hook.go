package supervisor

import (
	"fmt"
	"time"

	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// hookStartFailed is as good as a hook that fails, but for one: nobody has
// reloaded the app then, so it needn't be reloaded after the roll back, and
// another try costs nothing.
func (t *transition) hookStartFailed(e hookStartFailed) {
	if t.phase == reloading && t.exposure == read {
		t.exposure = visible
	}
	t.hookOver(e.err, "")
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

// hookTimeout is how long the hook of this phase may run.
func (t *transition) hookTimeout() time.Duration {
	if t.phase == proving {
		return t.config.VerifyTimeout
	}
	return t.config.HookTimeout
}

// expire kills the hook, whose time is up. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, tryAgain)
}
