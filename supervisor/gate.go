package supervisor

import (
	"errors"
	"fmt"
	"strings"

	"confit/linker"
	"confit/supervisor/hooks"
)

// beginGate asks the gate before the candidate is published. An app that died meanwhile doesn't wait
// for that.
func (t *transition) beginGate() {
	switch {
	case !t.neverStarted() && !t.app.Runs():
		t.leaveUndecided()
	case t.note.held.Unread != nil:
		t.refuseGate(t.note.held.Unread)
	default:
		t.gated = t.now
		if t.neverStarted() {
			t.enter(gating, gatePatience)
		} else {
			t.enter(gating, t.config.Rescan)
			t.pauseTrial()
		}
	}
}

func (t *transition) gateHook() hooks.Hook { return hooks.New("gate", t.config.Gate, gatePatience) }

// refuseGate drops a candidate about which no gate can be asked, as the question can't be noted, or
// nobody knows what was asked before.
func (t *transition) refuseGate(err error) {
	t.outcomes.Unask()
	t.forgetLook()
	t.systemRefused("gate", err)
}

// gateEnds reports that the deadline is that of the gate. Else it may take for ever, and the
// volumes are looked at.
func (t *transition) gateEnds() bool {
	return t.neverStarted() || t.outdated || t.hook && t.expired
}

// gateEnded is the gate's answer, unless nobody waits for it any more.
func (t *transition) gateEnded(err error, tail string) {
	switch {
	case t.outdated:
		t.overtaken()
	case err == nil:
		t.goOn()
	default:
		t.reject("gate", refusal(err, tail), tail)
	}
}

// refusal is why the gate said no. The last line that it printed tells.
func refusal(err error, tail string) error {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// gateLate is the deadline of the hook, or of a look at the volumes.
func (t *transition) gateLate() {
	switch {
	case !t.gateEnds():
		t.lookMeanwhile()
	case t.hook:
		t.expire()
	default:
		t.reject("gate", fmt.Errorf("gate not asked within %v: the report of the last outcome isn't delivered",
			gatePatience), "")
	}
}

// lookMeanwhile asks the linker at once whether the volumes have moved on, unless the gate is over
// in a moment.
func (t *transition) lookMeanwhile() {
	if t.gateEnds() {
		t.pending = true
		return
	}
	t.lookAtCandidate()
}

// lookAtCandidate asks the linker whether the candidate is still the newest.
func (t *transition) lookAtCandidate() {
	t.lookBy()
	t.repairInForce()
	t.assign(compare{t.candidate.Number})
}

func (e compared) take(t *transition) {
	if e.number != t.candidate.Number { // of a gate that was asked before
		return
	}
	// by the entrypoint
	superseded := errors.Is(e.err, linker.ErrSuperseded) || t.phase == waiting && errors.Is(e.err, linker.ErrEmptied)
	switch {
	case t.phase != waiting && (t.phase != gating || t.gateEnds()):
	case superseded && t.phase == waiting:
		t.overtaken()
	case superseded:
		t.outdate()
	case e.err != nil:
		t.reportSystemError(e.err)
	default:
		t.complaints[applying] = ""
	}
}

// outdate ends a gate whose answer has become worthless.
func (t *transition) outdate() {
	t.Info("gate ended: what is mounted has changed", about(t.candidate.Generation)...)
	t.outdated = true
	if !t.hook {
		t.overtaken()
		return
	}
	t.enter(gating, gatePatience)
	t.do(terminateHook{})
}

// overtaken drops a candidate that isn't the newest any more. The volumes may have come back to
// what was seen.
func (t *transition) overtaken() {
	t.forgetLook()
	t.discard()
	// A fallback that is replaced wasn't tried. What failed may be mounted again, and there is
	// nothing else.
	t.ladder.Fallback = t.ladder.Fallback || t.candidate.Fallback
	if !t.ladder.HasAccepted() && (t.isRetry || t.candidate.Fallback) {
		t.stageMounted()
	} else {
		t.look()
	}
}

// leaveUndecided starts the app, which is gone, on the accepted generation. Afterwards the gate is
// asked anew.
func (t *transition) leaveUndecided() {
	if t.hook {
		t.expire()
	} else {
		t.stageAgain()
	}
}
