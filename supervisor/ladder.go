package supervisor

import (
	"fmt"
	"time"

	"confit/linker"
	"confit/process"
	"confit/status"
	"confit/supervisor/outcomes"
)

// stepSoak rejects what the app has died of after it was accepted.
const stepSoak = "soak"

// soak does what is due when the app has lived with the accepted generation for --soak.
func (t *transition) soak() {
	if !t.isDue(t.soaksAt(t.config)) {
		return
	}
	if t.onLadder().MaySoak() {
		t.hasSoaked()
	}
	if t.maySaySoaked() {
		t.outcomes.Put(*t.outcome(outcomes.Soaked, t.accepted().Shared.Hex(), "", ""))
	}
}

func (t *transition) hasSoaked() {
	if t.ladder.IsDown() {
		t.onLadder().Remember(t.ladder.Top().Inputs)
		t.rejectAbove(t.ladder.Above())
	}
	byStart := t.onLadder().Soaked()
	t.untidy = true
	t.Info("generation soaked", about(t.accepted().Generation, "durable", byStart)...)
	if t.phase == running {
		t.tidy()
		t.deadline = later(earliest(t.deadline, t.rejection.nextTry), t.app.StopBy) // no look begins before that
	}
}

// appDied takes an end of the app, or of the attempt to start it, for which nothing is to blame
// that the app has read a moment ago. It reports whether confit goes on, on a lower rung.
func (t *transition) appDied(reason string, end exit) bool {
	v := verdict{}
	if end.code != 0 && t.onLadder().IsSoaking() && !t.unacceptedInForce() {
		v.outcome = t.relapse(reason)
	}
	r, before := t.accepted(), t.ladder.Ladder
	if t.lifeCounts() {
		if t.onLadder().Died(end.code == 0); end.code != 0 {
			v.before = &before
		}
	}
	if t.byDeath = true; v.stands() {
		t.judge(v)
	}
	if v.before == nil {
		return false
	}
	goesDown := t.onLadder().DiedTooOften()
	t.Warn("app died before its generation soaked", about(r.Generation, "lived", t.lived(),
		"deaths", r.Deaths, "todo", deathTodo)...)
	if goesDown {
		t.goDown(reason, setback{stands: true, end: end})
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
func (t *transition) goDown(reason string, how setback) {
	t.endHook()
	t.discard()
	if t.phase != running && !t.isAccepted() {
		t.fingerprint = "" // what was on its way is staged again
	}
	if !t.ladder.IsDown() {
		t.ladder.DownFor = reason
	}
	t.decided()
	t.renew(transaction{wentFrom: t.accepted().Number, setback: how})
	if !t.ladder.HasNext() {
		t.endOnTop()
		return
	}
	t.onLadder().Down()
	if t.outcomes.Question() == hexOf(t.accepted().Shared) { // the gate isn't asked about what is in force
		t.answer(outcomes.Superseded)
	}
	t.withdraw() // also before the fallback: the linker may be at something else
}

// endOnTop ends confit as the app has ended on all rungs: none of them is to blame. Where no app
// has ended, as a former confit was killed, the top is started.
func (t *transition) endOnTop() {
	t.onLadder().ToTop()
	t.Warn("back to the top of the ladder: the app ended on everything below, too",
		about(t.accepted().Generation)...)
	if t.setback.bearable && t.neverStarted() {
		t.fingerprint, t.pending = "", true
		t.dropCandidate()
		return
	}
	t.await(assign{goBack{t.accepted().Number, t.accepted().Number}}) // which no phase waits for
	t.endWith(t.setback.end)
}

// rejectAbove rejects what the app has died of, the top last: it lives below, or on an edit.
func (t *transition) rejectAbove(all []linker.Rung) {
	for i, above := range all {
		reason := "the app ended on it, too"
		if i == len(all)-1 {
			reason = t.ladder.DownReason()
		}
		keys := []any{"step", stepSoak, "reason", reason, "hash", above.Hash, "live", t.standing()}
		if t.ladder.Remembers(above.Inputs) {
			keys = append(keys, "nextTry", t.ladder.TriesAgain().Sub(t.now).Round(time.Second), "todo", soakTodo)
		}
		t.Error("candidate rejected", keys...)
		if r := t.outcome(wayBack(above.Shared == t.accepted().Shared), hexOf(above.Shared), stepSoak,
			reason); above.Told.Asked {
			t.outcomes.Put(*r)
		} else {
			t.decideAs(r)
		}
		if t.isMounted(above) {
			t.rejection = rejection{stands: true, inputs: above.Inputs, nextTry: t.ladder.TriesAgain(),
				wait: t.ladder.TriesAgain().Sub(t.now)}
			t.noteRejection(&status.Rejection{At: status.At(t.now), Hash: t.mounted.Hash, Step: stepSoak,
				Reason: reason, Attempts: 1, Keys: t.mounted.Keys, HeldUp: map[string]status.Time{}})
		}
	}
}

// What to do about what the app has died of.
const (
	deathTodo = "see the app's log: the second death in a row leads back to what was accepted before, and each one there further"
	soakTodo  = "see the app's log: a start tries the same bytes again, not before nextTry; any changed byte and a new pod do now"
)

// takeUpDeaths goes on with what a former confit has counted. A death is noted at once: the next
// kill may come soon.
func (t *transition) takeUpDeaths(former *linker.Former) {
	died := t.onLadder().TakeUp(former.Killed)
	if r := t.relapse("confit was killed before the app had lived with it for --soak"); died && r != nil {
		t.decideAs(r)
	}
	if t.ladder.Counted {
		t.trials.Forget()
		t.storeNote()
	}
}

// goDownKilled goes down as a former confit was killed too often.
func (t *transition) goDownKilled() {
	reason := fmt.Errorf("confit was killed before the app had lived with it for --soak, %d times", t.accepted().Deaths)
	t.goDown(reason.Error(), setback{true, exit{process.ExitRejected, &Rejected{Step: stepSoak, Reason: reason}}, true})
}
