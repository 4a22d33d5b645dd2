package supervisor

import (
	"fmt"
	"time"

	"confit/linker"
	"confit/process"
	"confit/supervisor/goal"
	"confit/supervisor/outcomes"
	"confit/supervisor/verdict"
)

// stepSoak rejects what the app has died of after it was accepted.
const stepSoak = verdict.StepSoak

// soak does what is due when the app has lived with the accepted generation for --soak.
func (t *transition) soak() {
	if t.onLadder().MaySoak() {
		t.hasSoaked()
	}
	if t.maySaySoaked() {
		t.outcomes.Put(*t.outcome(outcomes.Soaked, t.accepted().Shared.Hex(), "", ""))
	}
}

func (t *transition) hasSoaked() {
	if t.ladder.IsDown() {
		t.againstTop()
		t.rejectAbove(t.ladder.Above())
	}
	byStart := t.onLadder().Soaked()
	if byStart && t.died.IsLike(t.accepted().Inputs, t.accepted().Shared) {
		t.forgetDied()
	}
	t.untidy = true
	t.Info("generation soaked", about(t.accepted().Generation, "durable", byStart)...)
	if t.phase == running {
		t.tidy()
		t.deadline = later(earliest(t.deadline, t.rejected.TryBy()), t.app.StopBy) // no look begins before that
	}
}

// appDied takes an end of the app, or of the attempt to start it, for which nothing is to blame
// that the app has read a moment ago. It reports whether confit goes on, on a lower rung.
func (t *transition) appDied(reason string, end exit) bool {
	var tell *linker.Outcome
	if end.Code != 0 && t.onLadder().IsSoaking() && !t.unacceptedInForce() {
		tell = t.relapse(reason)
	}
	before, counts := t.ladder.Ladder, t.lifeCounts()
	if counts {
		t.onLadder().Died(end.Code == 0)
	}
	if !counts || end.Code == 0 {
		if tell != nil {
			t.againstDeath(tell, nil)
		}
		return false
	}
	t.againstDeath(tell, &before)
	r := t.accepted()
	goesDown := t.onLadder().DiedTooOften()
	t.Warn("app died before its generation soaked", about(r.Generation, "lived", t.lived(),
		"deaths", r.Deaths, "todo", deathTodo)...)
	if goesDown {
		t.goDown(reason, &verdict.Verdict{End: end})
	}
	return goesDown
}

// relapse is what is told of a hash that a gate was asked about, when the app has ended before it
// has lived with that for --soak. Nothing is told of a rung that is only tried.
func (t *transition) relapse(reason string) *linker.Outcome {
	if told := t.accepted().Told; told.Asked && !told.Relapsed && !t.ladder.IsDown() {
		return t.outcome(outcomes.Relapsed, t.accepted().Shared.Hex(), stepSoak, reason)
	}
	return nil
}

// goDown starts the app on the next rung, each once.
func (t *transition) goDown(reason string, how *verdict.Verdict) {
	t.endHook()
	t.discard()
	if t.phase != running && !t.isAccepted() {
		t.forgetLook() // what was on its way is staged again
	}
	if !t.ladder.IsDown() {
		t.ladder.DownFor = reason
	}
	t.decided()
	t.renew(transaction{wentFrom: t.accepted().Number, failed: how})
	if t.goal(goal.Refused) != goal.Older {
		t.endOnTop()
		return
	}
	t.onLadder().Down()
	t.asked = false
	if t.outcomes.Question() == hexOf(t.accepted().Shared) { // the gate isn't asked about what is in force
		t.answer(outcomes.Superseded)
	}
	t.withdraw() // also before the fallback: the linker may be at something else
}

// endOnTop ends confit as the app has ended on all rungs: none of them is to blame. Where no app
// has ended in this container the top is started.
func (t *transition) endOnTop() {
	t.onLadder().ToTop()
	t.Warn("back to the top of the ladder: the app ended on everything below, too",
		about(t.accepted().Generation)...)
	if t.neverStarted() && (t.failed == nil || t.failed.Bearable) {
		t.stageAgain()
		return
	}
	t.await(assign{goBack{t.accepted().Number, t.accepted().Number}}) // which no phase waits for
	t.endWith(t.failed.Ends())
}

// rejectAbove rejects what the app has died of, the top last: it lives below, or on an edit.
func (t *transition) rejectAbove(all []linker.Rung) {
	for i, above := range all {
		reason := "the app ended on it, too"
		if i == len(all)-1 {
			reason = t.ladder.DownReason()
		}
		keys := []any{"step", stepSoak, "reason", reason, "hash", above.Hash, "live", t.standing()}
		if t.died.IsOf(above.Inputs) {
			keys = append(keys, "nextTry", t.died.Next.Sub(t.now).Round(time.Second), "todo", soakTodo)
		}
		t.Error("candidate rejected", keys...)
		if r := t.outcome(wayBack(above.Shared == t.accepted().Shared), hexOf(above.Shared), stepSoak,
			reason); above.Told.Asked {
			t.outcomes.Put(*r)
		} else {
			t.decideAs(r)
		}
		if t.isLikeMounted(above) {
			t.againstAbove(above, reason)
		}
	}
}

// What to do about what the app has died of.
const (
	deathTodo = "see the app's log: the second death in a row leads back to what was accepted before, and each one there further"
	soakTodo  = "see the app's log: a start tries the same bytes again, not before nextTry; any changed byte that replicas share and a new pod do now"
)

// takeUpDeaths goes on with what a former confit has counted. A death is noted at once: the next
// kill may come soon.
func (t *transition) takeUpDeaths(former *linker.Former) {
	died := t.onLadder().TakeUp(former.Killed)
	if r := t.relapse("confit was killed before the app had lived with it for --soak"); died && r != nil {
		t.decideAs(r)
	}
	if t.ladder.Counted {
		t.forgetKills()
		t.storeNote()
	}
}

// goDownKilled goes down as a former confit was killed too often, or as nothing is left below.
func (t *transition) goDownKilled() {
	if !t.ladder.HasAccepted() {
		t.endOnTop()
		return
	}
	reason := fmt.Errorf("confit was killed before the app had lived with it for --soak, %d times", t.accepted().Deaths)
	end := exit{Code: process.ExitRejected, Reason: &Rejected{Step: stepSoak, Reason: reason}}
	t.goDown(reason.Error(), &verdict.Verdict{End: end, Bearable: true})
}
