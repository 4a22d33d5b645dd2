package supervisor

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"confit/linker"
	"confit/process"
	"confit/status"
)

// An app may die of a bad file late: a JVM needs eight seconds, and does so in each container
// from then on. So a generation is young until an app that was started on it has lived for
// --young. A relapse is an own end of the app before. The first one ends the container. At
// the second one in a row the app is started on the generation before, in contrast: if it
// lives longer there, the younger one is to blame. If it doesn't, neither is.

// maxRelapses is how many in a row raise a suspicion.
const maxRelapses = 2

// forgiven is how many relapses don't count after a suspicion was dropped: what is down for
// all generations may be so for long.
const forgiven = 8

// shortestContrast is how long the app has to live at least on the generation before, if
// --young isn't shorter.
const shortestContrast = time.Minute

// stepRelapse rejects what the app died of late.
const stepRelapse = "relapse"

// remembered is how long a generation isn't tried again of which the app died late.
const remembered = 24 * time.Hour

// growUp does what is due when the app has lived for long enough.
func (t *transition) growUp() {
	t.liveOn()
	if t.oldBy = t.getsOldBy(); !t.oldBy.IsZero() && t.over(t.oldBy) {
		switch younger := t.suspected; {
		case younger != nil: // it is to blame
			t.suspected, t.untidy, t.counted = nil, true, true
			t.blame(younger.of, younger.reason, 0)
		case t.outcomes.awaited != nil:
			told := t.outcomes.awaited
			t.outcomes.awaited = nil
			t.decideAs(*told)
		default:
			t.settled()
		}
		t.oldBy = t.getsOldBy()
	}
}

// getsOldBy is when the generation in force is no longer young, or the younger one is to
// blame; zero: the app wasn't started on it, or nothing depends on that.
func (t *transition) getsOldBy() time.Time {
	switch young := t.config.YoungFor(); {
	case t.isResting() || t.startedOn != t.accepted.Number:
	case t.suspected != nil:
		return t.app.since.Add(t.suspected.outlive)
	case t.outcomes.awaited != nil:
		return t.app.since.Add(t.outcomes.awaited.outlive)
	case young == 0 || t.accepted.Settled:
	case t.suspect() == theAccepted && t.over(t.app.since.Add(young)): // its proof takes longer
	default:
		return t.app.since.Add(young)
	}
	return noDeadline
}

// settled notes that nothing is gone back to from the accepted generation any more.
func (t *transition) settled() {
	t.accepted, t.untidy = t.accepted.Next(t.accepted.Generation, true, true), true
	if t.phase == running {
		t.keepHouse()
	}
}

// goesOn takes an end of the app for which nothing that it has read a moment ago is to
// blame. It reports whether confit goes on, with something else.
func (t *transition) goesOn(s process.Status) bool {
	code, lived := t.keeper().exitCode(s), t.now.Sub(t.app.since).Truncate(time.Millisecond)
	reason := fmt.Sprintf("the app ended with %v %v after its start", s, lived)
	t.outcomes.awaited = nil // it lives on nothing else, either
	switch {
	case t.suspected != nil:
		t.dropSuspicion()
	case !t.mayRelapse():
		if code != 0 && !t.outcomes.livedBy.IsZero() && t.hasOther() { // it was only reloaded
			t.died = true
			t.relapse(reason, 0)
		}
	case code == 0:
		t.accepted.Relapses, t.counted = 0, true
	default:
		t.counted = true
		t.accepted.Relapses, t.accepted.Lived = t.accepted.Relapses+1, max(t.accepted.Lived, int64(lived))
		if t.accepted.Relapses >= maxRelapses {
			t.suspectLate(fmt.Sprintf("%s, %d times in a row", reason, maxRelapses), exit{code: code})
			return true
		}
		t.say(slog.LevelWarn, "app ended while its generation is young", "generation", t.accepted.Number, "lived", lived, "todo", "the next time it is started on what was accepted before")
		t.died = true
		t.relapse(reason, 1)
	}
	return false
}

// liveOn tells that the app has lived with the asked hash for --young since that was accepted, by
// a start or a reload.
func (t *transition) liveOn() {
	o := &t.outcomes
	if o.livedBy = t.livesUntil(); o.livedBy.IsZero() || !t.over(o.livedBy) {
		return
	}
	r := &linker.Outcome{Hash: t.accepted.Shared.Hex(), Kind: outcomeSettled, Source: "mounted"}
	if t.rejection.stands || t.candidate.Number != 0 {
		r.Source = "stored"
	}
	t.tellLate(r)
	o.livedBy = noDeadline
}

func (t *transition) livesUntil() time.Time {
	switch told := t.accepted.Told; {
	case !told.Asked || told.Settled || t.outcomes.holdsUp() != nil || slices.ContainsFunc(t.outcomes.list, isGood):
	case t.isResting() || t.suspected != nil:
	default:
		return later(t.app.since, t.outcomes.since).Add(t.config.YoungFor())
	}
	return noDeadline
}

// relapse tells the first relapse of an asked hash; counts says how many confit counts. What it
// means is held if the app has died: a stop may follow.
func (t *transition) relapse(reason string, counts int) {
	if told := t.accepted.Told; told.Asked && !told.Relapsed {
		o := t.outcome(outcomeRelapsed, t.accepted.Shared.Hex(), stepRelapse, reason)
		t.judge(verdict{report: report{Outcome: o, late: true}, relapses: counts})
	}
}

// suspectLate starts the app on what there is besides the accepted generation.
func (t *transition) suspectLate(reason string, how exit) {
	t.endHook()
	t.discard()
	if t.phase != running {
		t.looked = "" // what was on its way is staged again
	}
	t.transaction = transaction{}
	t.noteSetback(how, false)
	suspect := t.accepted
	t.rejection = rejection{stands: true, hash: suspect.Hash, cost: costly{hash: suspect.Hash, step: stepRelapse}}
	t.say(slog.LevelWarn, "generation suspected: the app dies of it late", "generation", suspect.Number, "hash", suspect.Hash, "reason", reason)
	if suspect.Earlier.Number == 0 {
		t.accepted, t.untidy = linker.Accepted{}, true
		t.blame(suspect, reason, t.outlives(suspect))
		t.fallBack()
		return
	}
	t.lastRejection = t.lateRejection(suspect, reason)
	t.suspected = &contrast{suspect, t.outlives(suspect), reason}
	t.backToEarlier = true
	t.withdraw()
}

// outlives is how long the app has to live on something else.
func (t *transition) outlives(suspect linker.Accepted) time.Duration {
	return max(time.Duration(suspect.Lived), min(shortestContrast, t.config.YoungFor()))
}

// blame says that the app died late of a generation, and remembers that: the next container
// doesn't try it. It is reported when the app has outlived it.
func (t *transition) blame(of linker.Accepted, reason string, outlive time.Duration) {
	t.relapsed = &linker.Relapsed{Hash: of.Hash.Hex(), At: t.now.Unix()}
	v := verdict{
		line:   say{slog.LevelError, "candidate rejected", []any{"step", stepRelapse, "reason", reason, "hash", of.Hash, "live", t.standing(), "todo", mendIt}},
		report: report{t.outcome(outcomeRolledBack, hexOf(of.Shared), stepRelapse, reason), of.Told.Asked, outlive},
	}
	if outlive > 0 {
		v.report.Source = "fallback"
	}
	if of.Shared == t.accepted.Shared { // which stays in force
		v.report.Outcome = stillAccepted(v.report.Hash)
	}
	if t.rejection.hash == of.Hash { // it is still mounted
		v.rejection = t.lateRejection(of, reason)
	}
	t.judge(v)
}

// stillAccepted says that nothing of what all replicas share was to blame.
func stillAccepted(hash string) *linker.Outcome {
	return &linker.Outcome{Hash: hash, Kind: outcomeAccepted, Source: "stored"}
}

// lateRejection is what the status shows of a generation that is suspected or to blame.
func (t *transition) lateRejection(of linker.Accepted, reason string) *status.Rejection {
	r := &status.Rejection{At: t.stamp(), Hash: of.Hash.Hex(), Step: stepRelapse, Reason: reason, Attempts: 1, Keys: sums(nil)}
	if t.mounted != nil {
		r.Keys = t.mounted.Keys
	}
	return r
}

// dropSuspicion puts the younger generation back: the app ends on the older one, too.
func (t *transition) dropSuspicion() {
	t.say(slog.LevelWarn, "suspicion dropped: the app ended on the generation before, too", "generation", t.suspected.of.Number, "hash", t.suspected.of.Hash)
	t.accepted = t.suspected.of
	if told := t.accepted.Told; told.Relapsed && !told.Settled {
		t.tellLate(stillAccepted(t.accepted.Shared.Hex()))
	}
	t.accepted.Relapses, t.counted, t.suspected, t.rejection = -forgiven, true, nil, rejection{}
	t.assign(goBack{t.accepted.Number, t.accepted.Number}) // nobody waits for the answer
}

// takeUpRelapses goes on with what a former confit has counted. That it was killed while the
// app was young counts, too, and is noted at once: the next kill may come soon.
func (t *transition) takeUpRelapses(former *linker.Former) {
	if a, k := &t.accepted, former.Killed; k.Step == linker.StepPublish && k.Hash == a.Inputs && a.Survived && !a.Settled {
		a.Relapses++
		t.counted, t.killed = true, linker.Trial{}
		t.relapse("confit was killed while the app was young", 0)
		t.keepNote()
	}
	if r := former.Relapsed; r != nil && t.now.Sub(time.Unix(r.At, 0)) < remembered {
		t.relapsed, t.rejection.cost = r, costly{hash: linker.ParseHash(r.Hash), step: stepRelapse}
	}
}

// isLateDeadly reports that confit was killed while the app was young, often enough.
func (t *transition) isLateDeadly() bool {
	return t.neverStarted() && t.suspected == nil && t.accepted.Relapses >= maxRelapses && t.hasOther()
}

func (t *transition) suspectDeadly() {
	reason := fmt.Errorf("confit was killed %d times while the app was young", t.accepted.Relapses)
	t.suspectLate(reason.Error(), exit{process.ExitRejected, &Rejected{Reason: reason}})
}
