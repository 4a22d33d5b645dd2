package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/signals"
)

// reloadBy makes the app reload by a signal, or by a restart if it can't take that.
func (k *keeper) reloadBy(a config.Action) {
	k.by, k.blocked = a, false
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
// is looked at again, or it is restarted. A shell that forks has all signals blocked for
// a moment, so two looks in a row must find that.
func (k *keeper) probed(e probed) {
	before := k.blocked
	k.blocked = e.disposition == signals.Blocked
	if k.blocked && !before {
		return // look again at the deadline
	}
	h, known := habitNamed(e.program)
	switch {
	case k.by.Auto && known && (e.alone || !h.alone):
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

// survives reports whether the signal may be sent. Under auto the app must catch
// it: an app that ignores it would not reload. A signal that the user named is
// sent when it can do no harm, or when the kernel doesn't say. haproxy ignores
// its reload signal until it has installed its handler, so probed waits for an
// app that ignores the signal, too.
func (k *keeper) survives(d signals.Disposition) bool {
	switch {
	case d == signals.Caught:
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

// sent goes on when the signal is sent. Whether the app has taken it isn't asked.
func (k *keeper) sent() {
	k.autoHUP, k.renewed = k.by.Auto, k.now
	if k.autoHUP {
		k.perhaps = hint{} // if it leaves now, that is why
	}
	k.reloaded("signal", signals.Name(k.by.Signal), "pid", k.pid)
	k.become(up)
}

// noteBeyond says once of each app that it can't be signalled: TERM won't reach it
// either.
func (k *keeper) noteBeyond(err error) {
	if k.beyond == "" {
		k.say(slog.LevelError, "app can't be signalled", "pid", k.pid, "error", err.Error())
	}
	k.beyond = err.Error()
}
