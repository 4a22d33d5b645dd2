package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/signals"
)

// reloadBy makes the app reload by a signal, or by a restart if it can't take that.
func (k *keeper) reloadBy(a config.Action) {
	k.by, k.waitedFor = a, 0
	if a.Auto && k.restartOnly {
		k.restart("it left at " + signals.Name(a.Signal) + " before")
		return
	}
	k.lookForHandler()
}

// lookForHandler finds out what the app would do with the signal: without a
// handler it would die of it.
func (k *keeper) lookForHandler() {
	k.enter(probing, probeAgain)
	k.do(probe{k.pid, k.by.Signal})
}

// isNew reports that the app may yet install its handler.
func (k *keeper) isNew() bool { return !k.over(k.renewed.Add(handlerWait)) }

// probed decides by what the kernel says of the app: the signal is sent, the app
// is looked at again, or it is restarted.
func (k *keeper) probed(e probed) {
	if e.disposition != signals.Waited {
		k.waitedFor = 0
	} else if k.waitedFor++; k.waitedFor < waitedLooks {
		return // look again at the deadline
	}
	h, known := habitOf(e)
	switch {
	case k.by.Auto && known:
		k.restart(h.reason, h.keys()...)
	case k.survives(e.disposition) && (!k.isNew() || e.disposition != signals.Ignored):
		k.noteProgram(e.runs)
		k.do(deliver{k.pid, k.by.Signal})
	case k.isNew() && e.disposition != signals.Unknown:
		// It may still install its handler: look again at the deadline.
	default:
		k.restart("the app has no handler for " + signals.Name(k.by.Signal) + " (disposition: " + e.disposition.String() + ")")
	}
}

// survives reports whether the signal may be sent. Under auto the app must take
// it: an app that ignores it would not reload. A signal that the user named is
// sent when it can do no harm, or when the kernel doesn't say. haproxy ignores
// its reload signal until it has installed its handler, so probed waits for an
// app that ignores the signal, too.
func (k *keeper) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught, d == signals.Waited:
		return true
	case k.by.Auto:
		return false
	}
	return d != signals.Default || !signals.EndsByDefault(k.by.Signal)
}

// noteProgram notes what gets the signal, and whether it has lived on after auto's
// HUP.
func (k *keeper) noteProgram(program string) {
	if k.autoHUP && k.program == program {
		k.takesHUP = program
	}
	k.program = program
}

// sent goes on when the signal is sent, and reports whether that is all. That the
// app waits for it is only a guess, until the app takes it.
func (k *keeper) sent() (served bool) {
	k.autoHUP, k.renewed = k.by.Auto, k.now
	if k.autoHUP {
		k.perhaps = hint{} // if it leaves now, that is why
	}
	k.reloaded("signal", signals.Name(k.by.Signal), "pid", k.pid)
	if k.waitedFor > 0 {
		k.enter(delivering, probeAgain)
		return false
	}
	k.become(up)
	return true
}

// lookWhetherTaken finds out whether the signal still waits to be taken.
func (k *keeper) lookWhetherTaken() {
	k.enter(delivering, probeAgain)
	k.do(track{k.pid, k.by.Signal})
}

// delivered decides by whether the app has taken the signal that it seemed to
// wait for. If it hasn't in the end, it only had the signal blocked.
func (k *keeper) delivered(taken bool) (served bool) {
	switch name := signals.Name(k.by.Signal); {
	case taken:
	case k.isNew():
		return false // look again at the deadline
	case k.by.Auto:
		k.restart("the app has " + name + " blocked, and doesn't take it")
		return false
	default:
		k.say(slog.LevelWarn, "app has not taken the reload signal", "signal", name, "pid", k.pid, "waited", handlerWait)
	}
	k.become(up)
	return true
}

// noteBeyond says once of each app that it can't be signalled: TERM won't reach it
// either.
func (k *keeper) noteBeyond(err error) {
	if k.beyond == "" {
		k.say(slog.LevelError, "app can't be signalled", "pid", k.pid, "error", err.Error())
	}
	k.beyond = err.Error()
}
