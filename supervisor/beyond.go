package supervisor

import (
	"log/slog"

	"confit/config"
)

// The app can't be signalled, as it became another user. What a signal should have
// told it, it isn't told.
func (e denied) occur(t *transition) {
	t.noteBeyond(e.err)
	if t.phase == probing || t.phase == restarting {
		t.notTold(e.err)
	}
}

func (reached) occur(t *transition) { t.app.beyond = "" }

// noteBeyond says once of each app that it can't be signalled: TERM won't reach it
// either.
func (t *transition) noteBeyond(err error) {
	if t.app.beyond == "" {
		t.say(slog.LevelError, "app can't be signalled", "pid", t.app.pid, "error", err.Error())
	}
	t.app.beyond = err.Error()
}

// notTold gives up a reload or a restart. The app has read nothing of what is
// published, unless it watches its files: so that is withdrawn, and a second signal
// isn't tried. If that was to be taken back already, the app goes on as it is.
func (t *transition) notTold(err error) {
	switch {
	case t.dropped: // nothing was ever accepted: it is tried again, as the app must not stay
	case t.exposure != read || !t.hasAccepted():
		t.rest()
	default:
		if t.reloadAction.Kind != config.Touch {
			t.exposure = visible
		}
		t.reject("reload", err, "")
	}
}
