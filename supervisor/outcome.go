package supervisor

import (
	"strings"

	"confit/linker"
)

// reports reports whether anybody is told.
func (t *transition) reports() bool { return len(t.config.Report) > 0 }

// takeUp goes on with the record of a former confit. A change that was accepted
// is decided, even if that was not written down.
func (t *transition) takeUp(former *linker.Note) {
	if t.reports() {
		t.outcomes.gated, t.outcomes.late = former.Record, former.Late
	}
	if t.outcomes.isOpen() && t.hasAccepted() && former.Record.Hash == t.accepted.Shared.Hex() {
		t.decideGated(outcomeAccepted, "", "")
	}
}

// openRecord makes sure that a record of the gate is noted before the gate is
// asked. The last outcome is delivered first. A record that is open still, as
// confit was killed, goes on.
func (t *transition) openRecord() bool {
	if !t.reports() {
		return true
	}
	if t.outcomes.due() != nil {
		return false
	}
	if hash := t.candidate.Shared.Hex(); t.outcomes.gated == nil || t.outcomes.gated.Hash != hash {
		t.outcomes.gated, t.note.by = &linker.Record{Hash: hash}, noDeadline
	}
	return t.note.held.Record == t.outcomes.gated
}

// decideAs has an outcome told. A verdict on an earlier life says nothing of a gate that is asked about
// the same hash anew.
func (t *transition) decideAs(r *linker.Record) {
	ofEarlier := isVerdict(r.Outcome) && r.Step == linker.StepRelapse
	switch o := &t.outcomes; {
	case o.isOpen() && o.gated.Hash == r.Hash && !ofEarlier:
		t.closeRecord(r)
	case t.isAsked(r.Hash) && isLate(r):
		t.tellLate(r)
	case r.Outcome == outcomeAccepted && t.isAsked(r.Hash) && t.outcomes.late.Told == outcomeRelapsed: // a start on it proves too little
	case t.reports() && o.isNews(r):
		o.other = r
	}
}

// closeRecord gives the record of the gate its outcome. What was accepted is watched on.
func (t *transition) closeRecord(r *linker.Record) {
	if t.outcomes.gated = r; r.Outcome == outcomeAccepted {
		t.outcomes.asked, t.outcomes.since = r.Hash, t.now
		t.keepLate()
	}
}

// decideGated closes the record of the gate, if one is open.
func (t *transition) decideGated(outcome, step, reason string) {
	if t.outcomes.isOpen() {
		t.closeRecord(t.outcome(outcome, t.outcomes.gated.Hash, step, reason))
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
func (t *transition) outcome(outcome, hash, step, reason string) *linker.Record {
	reason, _, _ = strings.Cut(reason, "\x00")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return &linker.Record{Hash: hash, Outcome: outcome, Step: step, Reason: reason, Source: t.source(outcome)}
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

func (t *transition) killReport() {
	t.outcomes.by = t.now.Add(tryAgain)
	t.do(killReport{})
}

// interruptReport ends a report that runs: it is started again later.
func (t *transition) interruptReport() {
	if t.outcomes.told != nil {
		t.outcomes.interrupted = true
		t.killReport()
	}
}

// stopReporting closes the record of a gate at a stop, and tells it at once.
func (t *transition) stopReporting() {
	t.decideGated(outcomeStopped, "", "")
	t.tellFirst()
}

// tellFirst has the report hook told what is owed, whatever it is told now.
func (t *transition) tellFirst() {
	if t.outcomes.told == nil {
		t.outcomes.by = noDeadline
	} else if !t.outcomes.isOwed(t.outcomes.told) {
		t.interruptReport()
	}
}
