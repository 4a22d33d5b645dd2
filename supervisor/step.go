package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
)

// How long things may take that no flag sets.
const (
	// defaultSettle joins the swaps of several volumes: the kubelet's
	// reconciler makes them one after the other, within milliseconds.
	defaultSettle = 100 * time.Millisecond
	// settleFactor bounds how often quiet may be put off, in settle times.
	settleFactor = 10
	// filesPatience is when a job of the linker that still runs is worth a line:
	// a mount that hangs, as NFS does.
	filesPatience = 30 * time.Second
	// handlerWait is how long after its start, or after it was reloaded, an app
	// may take to install its handler: an entrypoint script that has not yet
	// exec'ed the daemon has none.
	handlerWait = 10 * time.Second
	// probeAgain is how often the handler is looked for in that time.
	probeAgain = 50 * time.Millisecond
	// readWait is how long after a reload an app may take to open what has
	// changed: some finish their work first.
	readWait = 30 * time.Second
	// waitedLooks is at how many looks in a row an app must seem to wait for a
	// signal: a shell blocks all signals for a moment whenever it forks (dash).
	waitedLooks = 5
	// verifyPause is the wait between two attempts of the verify hook.
	verifyPause = 500 * time.Millisecond
	// readyTimeout is how long an app that announced READY=1 may take to say it,
	// unless it asks for more: systemd's default, DefaultTimeoutStartSec= of
	// systemd-system.conf(5).
	readyTimeout = 90 * time.Second
	// maxRetry is where the doubling of the wait ends.
	maxRetry = 5 * time.Minute
	// maxKills is how often confit may be killed while it proves a generation:
	// once may be the node's doing, a second time is taken for the generation's.
	maxKills = 2
	// maxQueued bounds how many signals wait for an app that can't be started.
	maxQueued = 256
	// killAgain is the wait before an app that KILL has not ended is killed once
	// more: it became another user (EPERM), or sleeps uninterruptibly.
	killAgain = 30 * time.Second
	// tryAgain is the wait before a kill that has not worked yet is repeated,
	// or a start or a withdrawal that the system refused.
	tryAgain = time.Second
)

// transition is one call of step: the state as it becomes, and the actions.
type transition struct {
	state
	config  *config.Config
	now     time.Time
	actions []action
}

// begin is the state and the action to start from: the first configuration is
// staged like any other, only that no app runs yet. accepted is what a former
// confit on the same state directory accepted, if anything.
func begin(c *config.Config, accepted linker.Accepted, now time.Time) (state, []action) {
	t := transition{config: c, now: now, state: state{accepted: accepted}}
	t.recordAccepted()
	t.look()
	return t.state, t.actions
}

// step decides what an event means: the state after it, and what is to be
// done. It is pure, and total: a pair of phase and event that isn't written
// here changes nothing.
func step(c *config.Config, s state, now time.Time, e event) (state, []action) {
	t := transition{state: s, config: c, now: now}
	if s.phase == done {
		return s, nil
	}
	switch e := e.(type) {
	case hinted:
		t.hinted()
	case elapsed:
		t.elapsed()
	case staged, unchanged, checked, invalid, published, superseded, withdrawn, failed, crashed:
		t.files(e)
	case stored:
		t.stored(e)
	case hookBegun:
		t.hook = true
	case hookStartFailed:
		t.hookStartFailed(e)
	case hookEnded:
		t.hook = false
		t.hookOver(t.hookError(e.status), e.tail)
	case probed:
		t.probed(e)
	case opened:
		t.recordRead(true)
	case delivered:
		t.delivered(e.taken)
	case inspected:
		t.inspected(e)
	case started:
		t.appStarted(e.pid)
	case startFailed:
		t.startFailed(e)
	case exited:
		t.exited(e)
	case reaped:
		t.reaped()
	case cleared:
		t.cleared(e.left)
	case signalled:
		t.signalled(e.signal)
	case heard:
		t.heard(e.message)
	}
	return t.state, t.actions
}

func (t *transition) do(a action) { t.actions = append(t.actions, a) }

func (t *transition) say(l slog.Level, message string, keys ...any) {
	t.do(say{l, message, keys})
}

// enter goes over to a phase that waits until the deadline.
func (t *transition) enter(p phase, wait time.Duration) {
	t.phase, t.deadline = p, t.now.Add(wait)
}

// order gives the linker a job and waits for the answer.
func (t *transition) order(p phase, job action) {
	t.enter(p, filesPatience)
	t.busy = true
	t.do(job)
}

// elapsed compares the deadline with now: a timer that comes late, or twice,
// does no harm.
func (t *transition) elapsed() {
	if t.deadline.IsZero() || t.now.Before(t.deadline) {
		return
	}
	switch t.phase {
	case running:
		t.warnUnread()
		t.look()
	case settling:
		t.look()
	case staging, publishing, withdrawing:
		t.remind()
	case validating:
		t.validateLate()
	case splaying:
		t.publish()
	case probing:
		t.probeOn()
	case reloading:
		t.expire()
	case proving:
		t.goOn()
	case restarting:
		t.kill()
	case draining:
		t.killLeftovers()
	case starting:
		t.start()
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
