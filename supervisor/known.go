package supervisor

import (
	"time"

	"confit/linker"
	"confit/process"
	"confit/status"
	"confit/supervisor/outcomes"
	"confit/supervisor/verdict"
)

// What is known is written here; what a kill of confit says, in killed.go.

// takenUp is what a former confit has left. What it knew of an end at the entrypoint counts only where
// the app has begun on something else since.
func takenUp(former *linker.Former, now time.Time) known {
	k := known{recorded: verdict.Found(former.Killed)}
	if !k.recorded.IsUnconfirmed() {
		k.killed = k.recorded
	}
	if l := former.Late; l != (linker.Late{}) {
		since := time.Unix(min(l.At, now.Unix()), 0) // a clock was put right
		k.died = verdict.Late(l.Inputs, l.Common, since, time.Duration(l.Wait)*time.Second)
	}
	return k
}

// noteLate is what the next container has to know of what the app died of late.
func (k *known) noteLate() (l linker.Late) {
	if v := k.died; v != nil {
		l = linker.Late{Inputs: v.Inputs, Common: v.Common, At: v.From.Unix(), Wait: int64(v.Wait / time.Second)}
	}
	return l
}

// verdictOn is the verdict on the candidate.
func (t *transition) verdictOn(step string, reason error, tail string) *verdict.Verdict {
	was, keys := t.rejected, sums(t.candidate.Changes)
	v := &verdict.Verdict{Inputs: t.candidate.Inputs, Common: t.candidate.Shared, From: t.now,
		Rejection: status.Rejection{At: status.At(t.now), Step: step, Reason: reason.Error(), Output: tail,
			Attempts: 1, Keys: keys, HeldUp: was.Undelivered(keys, t.now)},
		End:      exit{Code: process.ExitRejected, Reason: &Rejected{step, reason, tail}},
		Bearable: t.app.Runs() || step == "gate", Read: t.exposure.reached()}
	if t.candidate.Number != 0 {
		v.Hash = t.candidate.Hash.Hex()
	}
	if t.isRetry {
		v.Attempts = was.Attempts + 1
	}
	if t.byDeath {
		v.From = t.now.Add(holdTime)
	}
	return t.planned(v)
}

// planned is the verdict with the next try of its keys: what failed may pass, as when a name can't be
// resolved. What the app was reloaded with, or confit was killed with, isn't tried: it costs service.
func (t *transition) planned(v *verdict.Verdict) *verdict.Verdict {
	switch {
	case t.isRemembered():
		if by := t.died.Next; !t.over(by) {
			v.Next, v.Wait = by, by.Sub(t.now).Round(time.Second)
		}
	case t.exposure.reached() || t.kills() >= maxKills:
	case t.isRetry:
		return v.Waits(t.now, t.rejected.LongerWait(outcomes.MaxRetry))
	default:
		return v.Waits(t.now, min(t.config.Retry, outcomes.MaxRetry))
	}
	return v
}

// against takes up the verdict on what is mounted. That on a death of the app is held.
func (t *transition) against(v *verdict.Verdict, line *say) {
	t.passVerdict() // the one before
	t.rejected, t.held, t.heldLine = v, v, line
	if !t.byDeath {
		t.passVerdict()
	}
	t.noteFailed(v)
}

// againstDeath holds a death of the app. before is the ladder that doesn't count it; nil: none does.
func (t *transition) againstDeath(tell *linker.Outcome, before *linker.Ladder) {
	t.passVerdict() // the one before
	t.held = &verdict.Verdict{From: t.now.Add(holdTime), Death: true, Outcome: tell}
	t.before = before
}

// againstAbove takes up that the app has died of what is mounted, and lives on a lower rung. Where it
// lives on an edit that verdict doesn't stand: what is mounted again is as new as any other edit.
func (t *transition) againstAbove(above linker.Rung, reason string) {
	v := &verdict.Verdict{Inputs: above.Inputs, Common: above.Shared, From: t.now, Read: true,
		Rejection: status.Rejection{At: status.At(t.now), Hash: t.mounted.Hash, Step: verdict.StepSoak, Reason: reason,
			Attempts: 1, Keys: t.mounted.Keys, HeldUp: map[string]status.Time{}}}
	if t.died != nil {
		v.Next, v.Wait = t.died.Next, t.died.Next.Sub(t.now)
		t.rejected = v
	}
	t.tellRejected(v)
}

// againstInForce takes up that the app isn't well on what was accepted before. verify is asked again.
func (t *transition) againstInForce(step string, reason error) {
	var v verdict.Verdict
	if was := t.doubted; was != nil {
		v = *was
	}
	v.Step, v.Reason = step, reason.Error()
	t.doubted = v.Waits(t.now, t.config.Retry)
}

// follow has the verdict be about what is mounted now, where a key was rotated that each replica has
// for itself. A try that has come to the same isn't repeated.
func (t *transition) follow() {
	v, keys := *t.rejected, sums(t.candidate.Changes)
	if t.isRetry {
		v.Next = noDeadline
	}
	if !v.IsOf(t.candidate.Inputs) {
		v.HeldUp = v.Undelivered(keys, t.now)
		v.Inputs, v.Hash, v.Keys = t.candidate.Inputs, t.candidate.Hash.Hex(), keys
	}
	t.replace(t.rejected, &v)
}

// againstUnproved takes up that what is in force was rejected, and stays.
func (t *transition) againstUnproved(v *verdict.Verdict) {
	t.doubted = v.Untried().With(func(v *verdict.Verdict) {
		v.Keys, v.Bearable = map[string]status.Sum{}, true
	})
}

// againstTop takes up that the app has died of the top, and lives on a lower rung.
func (t *transition) againstTop() {
	top := t.ladder.Top()
	since, wait := t.now.Truncate(time.Second), t.died.LateAgain(top.Inputs, top.Shared)
	t.died = verdict.Late(top.Inputs, top.Shared, since, wait)
}

// noteFailed notes what decides what follows if nothing else is left. What failed first does, and not
// the fallback, unless that is the last rung.
func (t *transition) noteFailed(v *verdict.Verdict) {
	if t.failed == nil || t.ladder.IsDown() {
		t.failed = v
	}
}

// passVerdict has the verdict that is held count: it is told and noted from now on.
func (t *transition) passVerdict() {
	v, line := t.held, t.heldLine
	if v == nil {
		return
	}
	t.held, t.heldLine, t.before = nil, nil, nil
	if v.Outcome != nil {
		t.decideAs(v.Outcome)
	}
	if !v.Death {
		t.tellRejected(v)
	}
	if line != nil {
		t.do(*line)
	}
	if t.phase == running {
		t.tidy()
	}
}

// tellRejected has the status show a verdict, whether or not it stands.
func (t *transition) tellRejected(v *verdict.Verdict) {
	t.told = v
	t.count.Rejections++
	t.decided()
}

// dropVerdict removes the verdict that is held, as the app was stopped. The question of a gate is
// answered by that, which is told at once.
func (t *transition) dropVerdict() {
	if t.before != nil {
		t.ladder.Ladder = *t.before
	}
	if t.rejected == t.held {
		t.lift()
	}
	t.held, t.heldLine, t.before = nil, nil, nil
	t.answer(outcomes.Stopped)
	t.killReportIf(t.outcomes.TellList(t.now))
}

// lift lifts the verdict on what is mounted.
func (t *transition) lift() { t.rejected = nil }

// liftMounted does so as that is live. But what stays without a proof stays rejected.
func (t *transition) liftMounted() {
	t.lift()
	if t.isUnproved() {
		t.rejected = t.doubted.Untried()
		t.told = t.rejected
	}
}

// trust lifts the verdict on what is in force.
func (t *transition) trust() { t.doubted = nil }

// forgetDied has what the app died of late tried as any edit.
func (t *transition) forgetDied() { t.died = nil }

// postpone has what is due wait anew.
func (t *transition) postpone() {
	t.rejected = t.rejected.Postponed(t.now)
	t.killed = t.killed.Postponed(t.now)
	t.doubted = t.doubted.Postponed(t.now)
}

// liftUnwell forgets that the app wasn't well: another one is started.
func (t *transition) liftUnwell() {
	if t.isUnproved() {
		t.doubted = t.doubted.Untried()
	} else {
		t.trust()
	}
}

// decide notes how a change ended: for the gate that was asked about it, or to be told once.
func (t *transition) decide(outcome string, of linker.Hash, step, reason string) {
	t.passVerdict() // that was first
	t.decideAs(t.outcome(outcome, hexOf(of), step, reason))
}
