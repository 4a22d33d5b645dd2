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

// linkerPatience is how long the linker may work before the log says so: a mount
// may hang, as NFS does.
const linkerPatience = 30 * time.Second

// order gives the linker a job and waits for the answer.
func (t *transition) order(p phase, job action) {
	t.enter(p, linkerPatience)
	t.busy = true
	t.do(job)
}

// run starts the hook of this phase. It is about the candidate when that is
// rendered, validated or gated, and else about the generation in force.
func (t *transition) run() {
	t.expired = false
	about := t.candidate
	if !t.phase.has(aboutCandidate) {
		about.Generation = t.inForce()
	}
	hook := t.ownHook()
	t.inStep(hook.name)
	t.do(runHook{hook.name, hook.command, about, t.hookVariables(about.Shared)})
}

// endHook kills a hook whose outcome no longer matters.
func (t *transition) endHook() {
	if t.hook {
		t.do(killHook{})
		t.hook = false
	}
}

// leave ends confit. No hook outlives it.
func (t *transition) leave(how exit) {
	t.passVerdict()
	t.endHook()
	t.interruptReport()
	t.phase, t.deadline, t.exit = done, noDeadline, how
}

// over reports that a time has come.
func (t *transition) over(by time.Time) bool { return !t.now.Before(by) }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// earliest is the first of the times that are set.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
