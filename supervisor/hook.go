package supervisor

import (
	"fmt"
	"time"

	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// hookStartFailed counts as a hook that failed. But a reload hook that never ran
// has not reloaded the app: nothing has to be undone there, and another try costs
// no service.
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

// expire kills the hook, as its time is over. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, tryAgain)
}
