package supervisor

import (
	"cmp"
	"strings"
	"time"

	"confit/linker"
)

// How a change ended, as CONFIT_OUTCOME says it.
const (
	outcomeAccepted   = "accepted"
	outcomeRejected   = "rejected"
	outcomeRolledBack = "rolled-back" // rejected after the app may have read it
	outcomeSuperseded = "superseded"  // by a newer change, before it was decided
	outcomeStopped    = "stopped"     // confit ended before it was decided
)

// outcomes is what the report hook is told. It has a slot beside all phases:
// nothing but the next gate waits for it.
type outcomes struct {
	gated   *linker.Report // of the last gate that was asked, until it is delivered; nil: none
	stored  *linker.Report // what report.json holds
	storing bool           // the linker is writing it
	storeBy time.Time      // when a write that failed is tried again
	other   *linker.Report // of a change without a gate, until it was told once
	last    *linker.Report // what was told last

	told        *linker.Report // what the hook that runs is told; nil: none runs
	by          time.Time      // when that is killed; or, if none runs, started again
	wait        time.Duration  // before the last try; the next wait is twice as long
	late        bool           // it was killed at its deadline
	interrupted bool           // it was killed as a stop or the app comes first
	trouble     string         // why it failed, as the log says it
}

// isOpen reports that a gate was asked about a change which isn't decided.
func (o *outcomes) isOpen() bool { return o.gated != nil && o.gated.Outcome == "" }

// isDue reports that the outcome of a gate isn't delivered.
func (o *outcomes) isDue() bool { return o.due() != nil }

// due is the outcome of a gate that isn't delivered, or nil.
func (o *outcomes) due() *linker.Report {
	if o.gated == nil || o.gated.Outcome == "" {
		return nil
	}
	return o.gated
}

// next is what has to be told next, or nil.
func (o *outcomes) next() *linker.Report { return cmp.Or(o.due(), o.other) }

// isNews reports that this isn't what was told last, or is about to be.
func (o *outcomes) isNews(r *linker.Report) bool {
	newest := cmp.Or(o.other, o.due(), o.told, o.last)
	return newest == nil || newest.Hash != r.Hash || newest.Outcome != r.Outcome || newest.Step != r.Step
}

// reports reports whether anybody is told.
func (t *transition) reports() bool { return len(t.config.Report) > 0 }

// takeUp goes on with the record of a former confit. A change that was accepted
// is decided, even if that was not written down.
func (t *transition) takeUp(former *linker.Report) {
	t.outcomes.stored = former
	if t.reports() {
		t.outcomes.gated = former
	}
	if t.outcomes.isOpen() && t.hasAccepted() && former.Hash == t.accepted.Shared.Hex() {
		t.decideGated(outcomeAccepted, "", "")
	}
}

// openRecord makes sure that a record of the gate is stored before the gate is
// asked. The last outcome is delivered first. A record that is open still, as
// confit was killed, goes on.
func (t *transition) openRecord() bool {
	if !t.reports() {
		return true
	}
	if t.outcomes.isDue() {
		return false
	}
	if hash := t.candidate.Shared.Hex(); t.outcomes.gated == nil || t.outcomes.gated.Hash != hash {
		t.outcomes.gated = &linker.Report{Hash: hash}
	}
	return t.outcomes.stored == t.outcomes.gated
}

// decide notes how a change ended: for the gate that was asked about it, or to
// be told once.
func (t *transition) decide(outcome string, of linker.Hash, step, reason string) {
	t.passVerdict() // that was first
	t.decideAs(t.outcome(outcome, hexOf(of), step, reason))
}

func (t *transition) decideAs(r *linker.Report) {
	if t.outcomes.isOpen() && t.outcomes.gated.Hash == r.Hash {
		t.outcomes.gated = r
	} else if t.reports() && t.outcomes.isNews(r) {
		t.outcomes.other = r
	}
}

// hexOf writes a hash; "" is that of what could not be staged.
func hexOf(of linker.Hash) string {
	if of == (linker.Hash{}) {
		return ""
	}
	return of.Hex()
}

// decideGated closes the record of the gate, if one is open.
func (t *transition) decideGated(outcome, step, reason string) {
	if t.outcomes.isOpen() {
		t.outcomes.gated = t.outcome(outcome, t.outcomes.gated.Hash, step, reason)
	}
}

// supersede closes the record of a gate when something else is mounted now.
func (t *transition) supersede(mounted linker.Hash) {
	if t.outcomes.isOpen() && t.outcomes.gated.Hash != mounted.Hex() {
		t.decideGated(outcomeSuperseded, "", "")
	}
}

// maxReason bounds CONFIT_REASON, in bytes.
const maxReason = 4 << 10

// outcome describes an outcome. execve(2) takes no NUL and no long reason, so
// such a reason is cut.
func (t *transition) outcome(outcome, hash, step, reason string) *linker.Report {
	reason, _, _ = strings.Cut(reason, "\x00")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return &linker.Report{Hash: hash, Outcome: outcome, Step: step, Reason: reason, Source: t.source(outcome)}
}

// source is what the app goes on with.
func (t *transition) source(outcome string) string {
	switch {
	case t.onFallback() && outcome == outcomeAccepted:
		return source(t.candidate.Generation)
	case outcome == outcomeAccepted, t.exposure == read && !t.hasAccepted():
		return "mounted"
	case t.hasAccepted():
		return "stored"
	}
	return "" // it never started
}
