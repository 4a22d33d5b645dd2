package supervisor

import (
	"log/slog"
	"time"

	"confit/process"
	"confit/signals"
	"confit/status"
)

// ending is what an exit of the app means, as far as the app's half can tell.
type ending int

const (
	own       ending = iota
	inRestart        // confit asked for it
	inStop           // the platform asked for it, by confit
	stopped          // somebody outside stopped the app
	leftAtHUP        // HUP means something else to the app
	replaced         // its successor goes on
)

// ended takes an exit. suspected says how far the app may have ended as it can't live
// with what it has read.
func (k *keeper) ended(e exited, suspected suspicion) ending {
	how := k.endingOf(e, suspected)
	keys := []any{"pid", k.pid, "status", e.status.String(), "code", k.exitCode(e.status)}
	if e.oom {
		keys = append(keys, "oomKilled", true)
	}
	k.say(slog.LevelInfo, "app exited", keys...)
	if k.wentToBackground(e) {
		k.say(slog.LevelWarn, "app went to the background: what it left there is ended", "todo", "start it in the foreground, as nginx -g 'daemon off;', or add --adopt")
	}
	k.lastExit = &status.Exit{At: status.At(k.now), Status: e.status.String(), Code: k.exitCode(e.status), OOMKilled: e.oom}
	k.pid = 0
	if how == replaced {
		k.adopt(e.successor)
	} else {
		k.become(down)
	}
	return how
}

func (k *keeper) endingOf(e exited, suspected suspicion) ending {
	switch {
	case k.phase == stopping:
		return inStop
	case k.leftAtReload(e, suspected):
		return leftAtHUP
	case e.successor.runs() && k.phase != restarting: // in a restart it would be one of the leftovers
		return replaced
	case k.isStop(e):
		return stopped
	case k.phase == restarting:
		return inRestart
	}
	return own
}

// wentToBackground reports that the app ended well right after its start, and left
// a process behind, as daemon(3) does. That is the end of a container for which
// nobody finds a reason in the app's log.
func (k *keeper) wentToBackground(e exited) bool {
	return e.forked && !e.successor.runs() && !k.isStop(e) && k.phase != stopping && k.phase != restarting && !k.over(k.appSince.Add(handlerWait))
}

// exitCode is what confit exits with when the app ended so.
func (k *keeper) exitCode(s process.Status) int {
	if code, mapped := k.config.MapExit[s.ExitCode()]; mapped {
		return code
	}
	return s.ExitCode()
}

// adopt goes on with the successor, in whatever phase. The signal that led to it
// was no stop.
func (k *keeper) adopt(successor life) {
	k.pid, k.group = successor.pid, successor.group
	k.renewed, k.inside, k.beyond, k.text = k.now, false, "", ""
	k.stopBy, k.perhaps, k.appSince = time.Time{}, hint{}, k.now
	k.say(slog.LevelInfo, "app adopted", "pid", k.pid, "generation", k.on.Number)
}

// suspicion is how far an app that ends may have died of what it has read.
type suspicion int

const (
	none    suspicion = iota
	inProof           // it was made to read something a moment ago
	ofNew             // the same, and that wasn't accepted before
)

// leftAtReload reports that the app left because of auto's HUP, and not because
// of what it read, or that it may have: a runtime that catches every signal dies
// of HUP; a JVM, or whoever has a handler that shuts down, exits with 129 or 0.
// Others have codes of their own for it, as runsvdir has. They count until the
// program has once lived on after such a HUP, and like 0 only in the probation.
// Who shuts down slowly and exits with 129 may take the time of any other stop.
func (k *keeper) leftAtReload(e exited, suspected suspicion) bool {
	switch code := e.status.ExitCode(); {
	case !k.autoHUP || k.phase == restarting:
		return false
	case e.status.Signal() == signals.HUP:
		return true
	case e.successor.runs() || k.isStop(e):
		return false
	case code == exitAtHUP:
		return suspected != none || !k.over(k.renewed.Add(k.config.StopTimeout))
	case code == 0:
		return suspected != none
	default:
		return suspected == ofNew && k.program != k.takesHUP && e.status.Signal() != signals.KILL
	}
}

// exitAtHUP is the code of programs that shut down in good order at HUP, as the
// JVM does.
const exitAtHUP = 128 + int(signals.HUP)

func (k *keeper) restartFromNowOn() {
	if !k.restartOnly {
		k.restartOnly = true
		k.say(slog.LevelWarn, "app is restarted from now on: it leaves at HUP", "todo", "write reload restart, or reload signal:NAME if another signal makes it reload")
	}
}
