package supervisor

import (
	"log/slog"
	"time"

	"confit/process"
	"confit/signals"
)

// restart asks the app to stop. It is started again when it and its leftovers are
// gone.
func (t *transition) restart(why string, keys ...any) {
	t.say(slog.LevelInfo, "app restarting", append([]any{"pid", t.app.pid, "generation", t.inForce().Number, "reason", why}, keys...)...)
	t.expired, t.perhaps = false, hint{} // it ends because of this
	t.enter(restarting, t.config.StopTimeout)
	t.askToStop(t.config.StopSignal)
}

// restartLate is the deadline of the app's end, or of another look at what it would
// do with its stop signal.
func (t *transition) restartLate() {
	if t.app.asksAgain {
		t.askAgain()
	} else {
		t.kill()
	}
}

const (
	// killAgain is the wait before an app that survived KILL is killed once more:
	// it became another user (EPERM), or sleeps uninterruptibly.
	killAgain = 30 * time.Second
	// tryAgain is the wait before another try: of a kill that has not worked, or
	// of a start or a withdrawal that the system refused.
	tryAgain = time.Second
)

// kill ends an app that did not stop in time.
func (t *transition) kill() {
	if !t.expired {
		t.say(slog.LevelWarn, "app killed: it did not stop in time", "pid", t.app.pid, "waited", t.config.StopTimeout)
	}
	t.expired = true
	t.do(signal{t.app.pid, signals.KILL})
	t.enter(restarting, killAgain)
}

// drain ends what the app left behind: in a restart, so that the next one finds
// its ports free; at the end, so that nothing is cut off.
func (t *transition) drain() {
	t.expired = false
	t.interruptReport()
	t.enter(draining, t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.TERM, t.ending})
}

// The child may have been the last of the leftovers.
func (reaped) occur(t *transition) {
	t.seen.count.Orphans++
	t.lookForLeftovers()
}

// lookForLeftovers finds out whether a child that has ended was the last.
func (t *transition) lookForLeftovers() {
	if t.phase == draining {
		t.do(endLeftovers{group: t.app.group})
	}
}

func (e cleared) occur(t *transition) {
	if t.phase == draining && !e.left {
		t.drained()
	}
}

// killLeftovers is the deadline of a drain. A process that even KILL doesn't end,
// as in an uninterruptible sleep, stays: it must not keep the app from running.
func (t *transition) killLeftovers() {
	if t.expired {
		t.drained()
		return
	}
	t.expired = true
	t.say(slog.LevelWarn, "leftovers killed: they did not stop in time", "waited", t.config.DrainTimeout)
	t.do(endLeftovers{t.app.group, signals.KILL, t.ending})
	t.enter(draining, tryAgain)
}

func (t *transition) drained() {
	switch {
	case t.ending:
		t.leave(t.exit)
	case t.dropped:
		t.withdraw()
	default:
		t.start()
	}
}

// start starts the app.
func (t *transition) start() {
	t.started = true
	t.enter(starting, tryAgain)
	t.do(spawn{})
}

// The app gets the signals that came in before it ran.
func (e started) occur(t *transition) {
	if t.phase != starting {
		return
	}
	again := !t.neverStarted()
	t.app = app{pid: e.pid, group: process.Group(e.pid), since: t.now, renewed: t.now, readiness: begun}
	t.recordStart(again)
	t.say(slog.LevelInfo, "app started", "pid", e.pid, "generation", t.inForce().Number, "hash", t.inForce().Hash)
	for _, s := range t.queued {
		t.forward(s)
	}
	t.queued = nil
	t.prove()
}

// If the system is short of
// something and the app ran before, the start is tried again. If the program
// can't be executed, the suspect is blamed: the program may be one of its keys.
// Everything else is the end, with the code that a shell gives.
func (e startFailed) occur(t *transition) {
	switch {
	case t.phase != starting:
	case e.code == process.ExitSystem && !t.neverStarted():
		t.say(slog.LevelError, "app not started", "error", e.err.Error(), "nextTry", tryAgain) // at the deadline
	case e.code == process.ExitSystem:
		t.leave(exit{e.code, e.err})
	case t.suspect() != nobody:
		t.resortTo(exit{e.code, e.err})
		t.fail("start", e.err, "")
	default:
		t.leave(exit{e.code, e.err})
	}
}
