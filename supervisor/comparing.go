package supervisor

import (
	"errors"
	"fmt"
	"time"

	"confit/linker"
	"confit/process"
	"confit/supervisor/verdict"
)

// An app may end because somebody has emptied the state directory, as an entrypoint does that
// removes /run/*. Nobody is blamed for that.

// Something has gone that confit works in: it is made anew, with what is in force.
func (emptied) take(t *transition) { t.assign(repair{number: t.inForce().Number}) }

func (e repaired) take(t *transition) { // the linker has logged it
	if t.complaints[relinking] = ""; e.err != nil {
		t.complaints[relinking] = e.err.Error()
	}
	_, isDamaged := errors.AsType[*linker.Damaged](e.err)
	t.damaged = isDamaged || errors.Is(e.err, linker.ErrEmptied)
	if e.anew {
		t.missedBy = t.now.Add(t.config.Probation)
	}
	if e.awaited && t.phase == comparing {
		t.judgeEnd()
	}
}

func (had) take(*transition) {}

// How often in a row an app is started again that has missed something, as each start runs an
// entrypoint again that empties the state directory: some milliseconds later the app may find what
// was made anew. And how long its end waits for the linker, which may hang.
const (
	maxAgain    = 3
	compareTime = time.Second
)

// mayMiss reports that the app may have ended because something was missing. Where others work on
// the change, an end says nothing, or what was in force is lost, so that the app can't be started
// again, it makes no difference.
func (t *transition) mayMiss(own exit) bool {
	rests := t.phase == running || t.phase == beginning || t.phase == proving
	return rests && own.Code != 0 && t.config.Probation > 0 && t.degraded == "" && t.inForce().Number != 0
}

// compareFirst has the linker look whether something is missing before anybody is blamed.
func (t *transition) compareFirst(status process.Status) {
	t.endedBy, t.endedIn, t.proof = status, t.phase, proof{}
	t.await(assign{repair{t.inForce().Number, true}})
	t.enter(comparing, compareTime)
}

// judgeEnd goes on with the end of the app once it is known whether something was missing, or
// nobody can know.
func (t *transition) judgeEnd() {
	own := exit{Code: t.onApp().ExitCode(t.endedBy)}
	t.busy = false
	t.enterUntil(t.endedIn, noDeadline)
	if t.over(t.missedBy) || t.again == maxAgain {
		t.again = 0
		t.blame(own, t.endedBy)
		return
	}
	t.again++
	t.Warn("app ended while something in the state directory was missing: it is started again",
		"generation", t.inForce().Number, "code", own.Code)
	t.continueWithoutApp()
}

// blame says what an end of the app means for the generation in force.
func (t *transition) blame(own exit, status process.Status) {
	switch {
	case t.blamesCandidate() && t.endedAtEntrypoint() && t.provisional().Attempts == 1:
		t.endOfEntrypoint(own)
	case t.blamesCandidate():
		t.appFailure = fmt.Errorf("the app ended with %v", status)
		t.noteFailed(&verdict.Verdict{End: own})
		t.continueWithoutApp()
	case t.appInDoubt():
		t.continueWithoutApp()
	case !t.appDied(fmt.Sprintf("the app ended with %v %v after its start", status, t.lived()), own):
		t.endWith(own)
	}
}
