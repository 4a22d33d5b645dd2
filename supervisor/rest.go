package supervisor

import (
	"confit/supervisor/app"
	"log/slog"
	"time"
)

// settleOn waits for quiet anew.
func (t *transition) settleOn() {
	t.deadline = earliest(t.now.Add(t.settleTime(t.config)), t.quietBy)
}

// endTransaction ends a transaction: an app that died meanwhile is started again, what is
// left to do is done, and a change that came in meanwhile is looked at.
func (t *transition) endTransaction() {
	if t.watched && t.readBy.IsZero() { // nobody asks any more
		t.assign(unwatchOpens{})
	}
	t.renew(transaction{}) // the list of changes may be long
	if !t.app.Runs() {
		t.drain(app.StartAgain)
		return
	}
	t.phase, t.deadline = running, noDeadline
	t.tidy()
	t.warnUnread()
	t.mendInForce()
	if t.pending {
		t.settle()
	} else {
		t.deadline = t.nextLook()
	}
}

// nextLook is the next rescan, or what is due before it. A try that was due while something else was done, or that
// the system refused, waits anew: one that stayed due would be tried again at once, for as long as a disk is full.
func (t *transition) nextLook() time.Time {
	if r := &t.rejection; r.isDue(t.now) {
		r.nextTry = t.now.Add(r.wait)
	}
	if !t.putOffBy.IsZero() && t.over(t.putOffBy) {
		t.putOffBy = t.now.Add(t.putOffWait())
	}
	if t.unwell != "" && t.over(t.wellBy) {
		t.wellBy = t.now.Add(t.config.Retry)
	}
	return earliest(t.now.Add(t.config.Rescan), t.rejection.nextTry, t.readBy, t.putOffBy, t.wellBy)
}

// putOffWait is how long what was put off waits for an app that was started this moment.
func (t *transition) putOffWait() time.Duration { return min(t.config.Rescan, app.HandlerWait) }

// warnUnread warns when nothing was opened in time. That is no reason for a roll
// back: an app may read its files when it needs them.
func (t *transition) warnUnread() {
	if t.readBy.IsZero() || !t.over(t.readBy) {
		return
	}
	t.noteRead(false)
	t.say(slog.LevelWarn, "app has not opened what changed", "generation", t.accepted().Number, "waited", readWait,
		"todo", "find out what makes it read its configuration, and write reload restart, signal:NAME or exec:COMMAND")
}

// mendInForce has the links and the bytes of the accepted generation mended that others have
// changed, as often as --rescan says. It doesn't wait for a rescan: where somebody writes
// to a plain volume all the time, each hint begins the wait for one anew.
func (t *transition) mendInForce() {
	if t.over(t.mendBy) {
		t.mendBy = t.now.Add(t.config.Rescan)
		t.assign(mend{t.accepted().Number})
	}
}
