package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
)

// transition is one call of step: the state as it becomes, and the actions.
type transition struct {
	state
	*outbox
	config *config.Config
	now    time.Time
	died   bool // what is rejected now is so for the app's death
}

// outbox collects the actions.
type outbox struct{ actions []action }

func (o *outbox) do(a action) { o.actions = append(o.actions, a) }

// assign has the linker do a job.
func (o *outbox) assign(j job) { o.do(assign{j}) }

func (o *outbox) say(l slog.Level, message string, keys ...any) {
	o.do(say{l, message, keys})
}

// noDeadline is for a phase that doesn't end by itself.
var noDeadline time.Time

// enter goes over to a phase that waits until the deadline.
func (t *transition) enter(p phase, wait time.Duration) {
	t.phase, t.deadline = p, t.now.Add(wait)
}

// order gives the linker a job and waits for the answer.
func (t *transition) order(p phase, job action) {
	t.enter(p, linkerPatience)
	t.busy++
	t.do(job)
}

// endHook kills a hook whose outcome no longer matters.
func (t *transition) endHook() {
	if t.hook {
		t.do(killHook{})
		t.hook = false
	}
}

// over reports that a time has come.
func (t *transition) over(by time.Time) bool { return !t.now.Before(by) }
