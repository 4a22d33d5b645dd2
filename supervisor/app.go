package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/process"
	"confit/signals"
)

// app is the process after --.
type app struct {
	pid       int            // 0: not running
	group     process.Group  // the group of the last one, which may have members left
	since     time.Time      // when it was started
	renewed   time.Time      // when it was started or reloaded: some execute themselves anew, and have no handlers for a while
	autoHUP   bool           // the last HUP that it got was auto's
	program   string         // what it ran when it got that
	readiness readiness      // what it has said of itself since then
	readBy    time.Time      // when it should have opened what has changed; zero: it has, or nobody knows
	asked     signals.Signal // by which it is to stop
	looks     int            // at what it would do with that
	drops     bool           // one of them found that it would drop it
	asksAgain bool           // the next look is due
	beyond    string         // why it can't be signalled; "": it can
	inside    bool           // its working directory is inside a generation, and the log says so
}

func (a app) runs() bool { return a.pid != 0 }

// neverStarted reports that no app has run yet: what goes wrong now is the end,
// unless a former confit left an accepted generation.
func (s *state) neverStarted() bool { return s.app.group == 0 }

// The app's exit has one of these reasons: confit asked for it, in a restart or a stop; HUP meant something else to the app; a generation is to blame; or
// confit ends, too.
func (e exited) occur(t *transition) {
	if !t.app.runs() {
		return
	}
	t.sayExited(e)
	if t.wentToBackground(e) {
		t.say(slog.LevelWarn, "app went to the background: what it left there is ended", "todo", "start it in the foreground, as nginx -g 'daemon off;', or add --adopt")
	}
	t.recordExit(e)
	t.app.pid = 0
	switch {
	case t.phase == stopping:
		t.end(e.status)
	case t.leftAtReload(e):
		t.learn()
		t.continueWithoutApp()
	case t.isReplaced(e):
		t.adopt(e.successor)
	case t.isStop(e):
		t.dropVerdict()
		t.stopReporting()
		t.end(e.status)
	case t.phase == restarting:
		t.drain()
	case t.suspect() != nobody:
		t.appFailure = fmt.Errorf("the app ended with %v", e.status)
		t.resortTo(exit{code: t.exitCode(e.status)})
		t.continueWithoutApp()
	case t.exposure == restored: // it may have died of the candidate
		t.continueWithoutApp()
	default:
		t.end(e.status)
	}
}

func (t *transition) sayExited(e exited) {
	keys := []any{"pid", t.app.pid, "status", e.status.String(), "code", t.exitCode(e.status)}
	if e.oom {
		keys = append(keys, "oomKilled", true)
	}
	t.say(slog.LevelInfo, "app exited", keys...)
}

// wentToBackground reports that the app ended well right after its start, and left
// a process behind, as daemon(3) does. That is the end of a container for which
// nobody finds a reason in the app's log.
func (t *transition) wentToBackground(e exited) bool {
	return e.forked && !e.successor.runs() && !t.isStop(e) && t.phase != stopping && t.phase != restarting && !t.over(t.app.since.Add(handlerWait))
}

// exitCode is what confit exits with when the app ended so.
func (t *transition) exitCode(s process.Status) int {
	if code, mapped := t.config.MapExit[s.ExitCode()]; mapped {
		return code
	}
	return s.ExitCode()
}

// leftAtReload reports that the app left because of auto's HUP, and not because
// of what it read, or that it may have: a runtime that catches every signal dies
// of HUP; a JVM, or whoever has a handler that shuts down, exits with 129 or 0.
// Others have codes of their own for it, as runsvdir has. They count until the
// program has once lived on after such a HUP, and like 0 only in the probation.
// Who shuts down slowly and exits with 129 may take the time of any other stop.
func (t *transition) leftAtReload(e exited) bool {
	inProof := t.exposure.reached() && t.phase.followsHUP()
	switch code := e.status.ExitCode(); {
	case !t.app.autoHUP || t.phase == restarting:
		return false
	case e.status.Signal() == signals.HUP:
		return true
	case e.successor.runs() || t.isStop(e):
		return false
	case code == exitAtHUP:
		return inProof || !t.over(t.app.renewed.Add(t.config.StopTimeout))
	case code == 0:
		return inProof
	default:
		return inProof && t.suspect() == theCandidate && t.app.program != t.takesHUP && e.status.Signal() != signals.KILL
	}
}

// followsHUP reports whether an exit in this phase may be the answer to HUP.
func (p phase) followsHUP() bool { return p == probing || p == delivering || p == proving }

// exitAtHUP is the code of programs that shut down in good order at HUP, as the
// JVM does.
const exitAtHUP = 128 + int(signals.HUP)

// learn turns HUP into a restart from now on. While a candidate is on trial, the
// candidate may be to blame as well: then the app first has to live through a
// start on it.
func (t *transition) learn() {
	t.say(slog.LevelWarn, "app left at HUP: it is started again", "generation", t.inForce().Number)
	if t.suspect() == theCandidate {
		t.leftAtHUP = true
	} else {
		t.restartFromNowOn()
	}
}

func (t *transition) restartFromNowOn() {
	if !t.restartOnly {
		t.restartOnly = true
		t.say(slog.LevelWarn, "app is restarted from now on: it leaves at HUP", "todo", "write reload restart, or reload signal:NAME if another signal makes it reload")
	}
}

// isReplaced reports that a successor took the app's place. In a restart it would
// be one of the leftovers.
func (t *transition) isReplaced(e exited) bool { return e.successor.runs() && t.phase != restarting }

// adopt goes on with the successor, in whatever phase. The signal that led to it
// was no stop, and a change needn't wait any more.
func (t *transition) adopt(successor app) {
	t.app.pid, t.app.group = successor.pid, successor.group
	t.app.renewed, t.app.inside, t.app.beyond = t.now, false, ""
	t.stopBy, t.perhaps = time.Time{}, hint{}
	t.recordStart(false)
	t.say(slog.LevelInfo, "app adopted", "pid", t.app.pid, "generation", t.inForce().Number)
	if t.phase == running && t.pending {
		t.settle()
	}
}

// continueWithoutApp goes on when the app is gone and confit stays. Phases that
// need the app end here; the others go on until they come to the app.
func (t *transition) continueWithoutApp() {
	switch t.phase {
	case settling:
		t.pending = true
		t.drain()
	case splaying:
		t.deadline = t.now // no app is disturbed
	case gating:
		t.leaveUndecided()
	case withdrawing:
		if !t.busy { // it waits to try again, but nobody is served meanwhile
			t.withdraw()
		}
	case running, probing, delivering, reading, reloading, proving:
		t.recoverFromExit()
	}
}

// recoverFromExit takes back what is to blame for the exit, and starts the app
// again. A hook that works on the app is killed first; its end leads back here.
func (t *transition) recoverFromExit() {
	switch {
	case t.hook:
		t.expire()
	case t.appFailure != nil:
		reason := t.appFailure
		t.appFailure, t.died = nil, true
		t.fail("probation", reason, "")
	default:
		t.drain()
	}
}

// end ends confit with the app's exit code, when nothing is left of the app.
func (t *transition) end(s process.Status) {
	t.endHook()
	t.ending, t.exit.code = true, t.exitCode(s)
	t.drain()
}
