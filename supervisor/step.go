package supervisor

import (
	"log/slog"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// How long things may take that no flag sets.
const (
	// defaultSettle joins the swaps of several volumes: the kubelet's
	// reconciler makes them one after the other, within milliseconds.
	defaultSettle = 100 * time.Millisecond
	// settleFactor bounds how often quiet may be put off, in settle times.
	settleFactor = 10
	// filesPatience is when a look, a publish or a withdrawal that still runs
	// is worth a line: a mount that hangs, as NFS does.
	filesPatience = 30 * time.Second
	// handlerWait is how long after its start, or after it was told, an app may
	// take to install its handler: an entrypoint script that has not yet exec'ed
	// the daemon has none.
	handlerWait = 10 * time.Second
	// probeAgain is how often the handler is looked for in that time.
	probeAgain = 50 * time.Millisecond
	// verifyPause is the wait between two attempts of the verify hook.
	verifyPause = 500 * time.Millisecond
	// longestRetry is where the doubling of the wait ends.
	longestRetry = 5 * time.Minute
	// mostQueued bounds how many signals wait for an app that can't be started.
	mostQueued = 256
	// killAgain is the wait before an app that KILL has not ended is killed once
	// more: it became another user (EPERM), or sleeps uninterruptibly.
	killAgain = 30 * time.Second
	// tryAgain is the wait before a kill that has not worked yet is repeated,
	// or a start that the system refused.
	tryAgain = time.Second
)

// Exit codes that step decides.
const exitStopped = 128 + int(signals.TERM) // stopped before the app ran

// turn is one call of step: the state as it becomes, and the actions.
type turn struct {
	state
	config  *config.Config
	now     time.Time
	actions []action
}

// begin is the state and the action to start from: the first configuration is
// staged like any other, only that no app runs yet. accepted is what a former
// confit on the same state directory accepted, if anything.
func begin(c *config.Config, accepted linker.Generation, now time.Time) (state, []action) {
	t := turn{config: c, now: now, state: state{live: accepted}}
	t.sawAccepted()
	t.look()
	return t.state, t.actions
}

// step decides what an event means: the state after it, and what is to be
// done. It is pure, and total: a pair of phase and event that isn't written
// here changes nothing.
func step(c *config.Config, s state, now time.Time, e event) (state, []action) {
	t := turn{state: s, config: c, now: now}
	if s.phase == done {
		return s, nil
	}
	switch e := e.(type) {
	case hinted:
		t.hinted()
	case elapsed:
		t.elapsed()
	case staged, unchanged, invalid, published, superseded, withdrawn, failed, crashed:
		t.files(e)
	case stored:
		t.stored(e)
	case hookBegun:
		t.hook = e.pid
	case hookBarred:
		if t.phase == telling && t.visible {
			t.told = false // nobody has told it: it needn't be told of the roll back, and a try costs nothing
		}
		t.hookOver(e.err, "")
	case hookEnded:
		t.hook = 0
		t.hookOver(t.hookError(e.status), e.tail)
	case probed:
		t.probed(e.disposition)
	case started:
		t.started(e.pid)
	case barred:
		t.barred(e)
	case exited:
		t.exited(e)
	case reaped:
		t.seen.count.Orphans++
		if t.phase == draining {
			t.do(endLeftovers{group: t.app.group})
		}
	case cleared:
		t.cleared(e.left)
	case signalled:
		t.signalled(e.signal)
	case heard:
		t.heard(e.message)
	}
	return t.state, t.actions
}

// do is called from so many places that to inline it would cost 16 KB.
//
//go:noinline
func (t *turn) do(a action) { t.actions = append(t.actions, a) }

func (t *turn) say(l slog.Level, message string, keys ...any) {
	t.do(say{l, message, keys})
}

// enter goes over to a phase that waits until the deadline.
func (t *turn) enter(p phase, wait time.Duration) {
	t.phase, t.deadline = p, t.now.Add(wait)
}

// hinted: look, at once or after some quiet, or when the phase is over.
func (t *turn) hinted() {
	switch t.phase {
	case running:
		t.settle()
	case settling:
		t.deadline = earlier(t.now.Add(t.settleTime()), t.quietBy)
	default:
		t.pending = true
	}
}

// settle waits for quiet before the next look.
func (t *turn) settle() {
	wait := t.settleTime()
	if t.degraded != "" {
		return
	}
	if wait == 0 {
		t.look()
		return
	}
	t.enter(settling, wait)
	t.quietBy = t.now.Add(settleFactor * wait)
}

func (t *turn) settleTime() time.Duration {
	switch {
	case t.config.Settle != config.SettleAuto:
		return t.config.Settle
	case t.single:
		return 0
	}
	return defaultSettle
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// look begins a transaction, which ends at once when nothing has changed; or
// when it has, but was rejected before and isn't due to be tried again.
func (t *turn) look() {
	t.pending, t.visible, t.told, t.candidate = false, false, false, linker.Candidate{}
	t.retry.again = !t.retry.at.IsZero() && !t.now.Before(t.retry.at)
	t.order(staging, stage{t.retry.again})
}

// order gives the linker a job and waits for the answer.
func (t *turn) order(p phase, job action) {
	t.enter(p, filesPatience)
	t.busy = true
	t.do(job)
}

// rest ends a transaction: a change that came in meanwhile is looked at now,
// and an app that died of a reload meanwhile is started again.
func (t *turn) rest() {
	if t.app.pid == 0 {
		t.drain()
		return
	}
	t.candidate = linker.Candidate{} // its list of changes may be long
	t.visible, t.told, t.splayBy = false, false, time.Time{}
	t.enter(running, t.config.Rescan)
	if t.degraded != "" {
		t.deadline = time.Time{}
		return
	}
	if !t.retry.at.IsZero() {
		t.deadline = earlier(t.deadline, t.retry.at)
	}
	if t.untidy {
		t.untidy = false
		t.do(tidy{})
	}
	if t.pending {
		t.settle()
	}
}

// elapsed compares the deadline with now: a timer that comes late, or twice,
// does no harm.
func (t *turn) elapsed() {
	if t.deadline.IsZero() || t.now.Before(t.deadline) {
		return
	}
	switch t.phase {
	case running, settling:
		t.look()
	case staging, publishing, withdrawing:
		t.remind()
	case validating:
		t.expire()
	case splaying:
		t.publish()
	case proving:
		t.goOn()
	case telling:
		if t.ask.Kind == config.Exec {
			t.expire()
		} else {
			t.lookForHandler()
		}
	case restarting:
		t.kill()
	case draining:
		t.killLeftovers()
	case starting:
		t.start()
	}
}

// remind says that the linker's answer is late, or takes up a withdrawal that
// the system refused.
func (t *turn) remind() {
	if !t.busy {
		t.withdraw()
		return
	}
	t.say(slog.LevelWarn, "the volumes or the state directory don't answer", "phase", t.phase.String(), "waited", filesPatience)
	t.enter(t.phase, filesPatience)
}

// signalled: TERM asks confit to stop, every other signal is the app's; after
// the map, which may make one of the other or drop it.
func (t *turn) signalled(s signals.Signal) {
	from := s
	if to, mapped := t.config.MapSignal[s]; mapped {
		s = to
	}
	switch {
	case s == 0:
	case s == signals.TERM:
		t.stop(t.config.StopSignal)
	case from == signals.TERM: // it stays the platform's wish to stop
		t.stop(s)
	case t.app.pid == 0:
		if len(t.queued) < mostQueued {
			t.queued = append(slices.Clip(t.queued), s)
		}
	default:
		t.hup = t.hup && s != signals.HUP
		t.do(signal{t.app.pid, s})
	}
}

// stop asks the app to stop, from whatever phase. The platform owns the
// deadline: confit waits as long as the app takes.
func (t *turn) stop(s signals.Signal) {
	t.say(slog.LevelInfo, "stop requested", "signal", signals.Name(s), "phase", t.phase.String())
	t.endHook()
	switch {
	case t.phase == draining && !t.ending: // no other app is started after it
		t.ending, t.code = true, exitStopped
	case t.phase == draining:
	case t.app.pid == 0:
		t.leave(exitStopped, nil)
	default:
		if t.phase != restarting { // there it was sent already
			t.do(signal{t.app.pid, s})
			t.do(wake{t.app.pid})
		}
		t.phase, t.deadline = stopping, time.Time{}
	}
}

// leave ends confit. No hook outlives it.
func (t *turn) leave(code int, reason error) {
	t.endHook()
	t.phase, t.deadline, t.code, t.reason = done, time.Time{}, code, reason
}

// endHook kills a hook whose outcome no longer matters.
func (t *turn) endHook() {
	if t.hook != 0 {
		t.do(killHook{t.hook})
		t.hook = 0
	}
}
