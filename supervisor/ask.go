package supervisor

import (
	"log/slog"

	"confit/signals"
)

// askToStop asks the app to end by its stop signal. Some are lost on an app that
// has no handler yet: WINCH, on the entrypoint script before httpd. So the loop
// looks first, as before a reload.
func (t *transition) askToStop(s signals.Signal) {
	t.app.asked, t.app.looks, t.app.drops, t.app.asksAgain = s, 0, false, false
	t.do(ask{t.app.pid, s})
	t.do(wake{t.app.pid})
}

// The app is looked at again. Whoever waits for the signal does so at all of
// them; else TERM follows.
func (e unheard) occur(t *transition) {
	if t.phase != restarting && t.phase != stopping {
		return
	}
	t.app.drops = t.app.drops || !e.waits
	if t.app.looks++; t.app.looks < waitedLooks {
		t.app.asksAgain, t.deadline = true, t.now.Add(probeAgain)
		return
	}
	t.do(signal{t.app.pid, t.app.asked})
	if !t.app.drops || t.app.asked == signals.TERM {
		return
	}
	t.say(slog.LevelWarn, "app doesn't take its stop signal: TERM follows", "signal", signals.Name(t.app.asked), "pid", t.app.pid)
	t.do(signal{t.app.pid, signals.TERM})
}

func (t *transition) askAgain() {
	t.app.asksAgain, t.deadline = false, noDeadline // the platform owns it
	if t.phase == restarting {
		t.enter(restarting, t.config.StopTimeout)
	}
	t.do(ask{t.app.pid, t.app.asked})
}
