package supervisor

import "time"

// settleOn waits for quiet anew.
func (t *transition) settleOn() {
	t.deadline = earlier(t.now.Add(t.settleTime(t.config)), t.quietBy)
}

// settleWithoutApp starts the app first.
func (t *transition) settleWithoutApp() {
	t.pending = true
	t.drain(startAgain)
}

// endTransaction ends a transaction: an app that died meanwhile is started again, what is
// left to do is done, and a change that came in meanwhile is looked at.
func (t *transition) endTransaction() {
	if t.watched && t.readBy.IsZero() { // nobody asks any more
		t.assign(unwatchOpens{})
	}
	t.transaction = transaction{} // its list of changes may be long
	if !t.app.runs() {
		t.drain(startAgain)
		return
	}
	t.phase, t.deadline = running, t.nextLook()
	t.keepHouse()
	t.mendInForce()
	if t.pending {
		t.settle()
	}
}

// nextLook is the next rescan, or what is due before it.
func (t *transition) nextLook() time.Time {
	return earliest(t.now.Add(t.config.Rescan), t.rejection.nextTry, t.readBy, t.putOffBy)
}

// mendInForce has the links and the bytes of the accepted generation mended that others have
// changed, as often as --rescan says. It doesn't wait for a rescan: where somebody writes
// to a plain volume all the time, each hint begins the wait for one anew. While the app is
// expected to open what has changed no file is looked at: that would count as opened.
func (t *transition) mendInForce() {
	if t.over(t.mendBy) {
		t.mendBy = t.now.Add(t.config.Rescan)
		t.assign(mend{t.accepted.Number, t.readBy.IsZero()})
	}
}
