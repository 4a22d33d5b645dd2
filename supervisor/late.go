package supervisor

import (
	"strconv"
	"strings"
	"time"

	"confit/linker"
)

// An app may die of an edit when its gate has long heard that it is accepted. So the gate's hash is
// kept in a record of its own while the generation is young: others go on only when they know
// that it went well here. Its first relapse is told, what came of that, and at last that the app
// has lived with it for long enough.

// isAsked reports that a gate was asked about a hash which is accepted, or was until it relapsed.
func (t *transition) isAsked(hash string) bool {
	return t.outcomes.late != nil && t.outcomes.late.Hash == hash
}

// isLate reports an outcome of what was accepted before. A start on it is told as mounted.
func isLate(r *linker.Record) bool {
	return isVerdict(r.Outcome) || r.Outcome == outcomeAccepted && r.Source == "stored"
}

// tellLate has something told of the hash that the late record is about. A relapse is told once,
// and so is a good end after it.
func (t *transition) tellLate(r *linker.Record) {
	o, next := &t.outcomes, *r
	next.Told = o.late.Told
	switch r.Outcome {
	case outcomeRelapsed:
		next.Told = outcomeRelapsed
	case outcomeSettled:
		next.Told = strings.TrimSpace(next.Told + " " + outcomeSettled)
	}
	if o.late = &next; o.told == nil {
		o.by, o.wait = noDeadline, 0
	}
}

// lateTold drops what was told. Nothing follows a rejection.
func (t *transition) lateTold() {
	o := &t.outcomes
	if o.late.Outcome == outcomeRolledBack {
		o.late = nil
	} else {
		o.late = &linker.Record{Hash: o.late.Hash, Told: o.late.Told}
	}
}

// current is the late record of what is accepted, or nil.
func (s *state) current() *linker.Record {
	if late := s.outcomes.late; late != nil && late.Hash == hexOf(s.accepted.Shared) {
		return late
	}
	return nil
}

// keepLate keeps the late record while anything may have to be told of its hash, and makes one of
// what was accepted as soon as there is room. It is over when the app was started on the hash and
// has lived for long enough; or when something else is accepted, and nobody finds out any more
// what the hash did.
func (t *transition) keepLate() {
	o := &t.outcomes
	switch late := t.current(); {
	case o.late != nil && isVerdict(o.late.Outcome):
		return
	case o.asked != "", late == nil && t.suspected == nil && !t.held.stands() && o.awaited == nil,
		late != nil && t.accepted.Settled && late.Outcome == "" && strings.HasSuffix(late.Told, outcomeSettled):
		o.late = nil
	}
	if o.asked != "" {
		o.late, o.asked = &linker.Record{Hash: o.asked}, ""
	}
}

// stillAccepted says that nothing of what all replicas share was to blame.
func stillAccepted(hash string) *linker.Record {
	return &linker.Record{Hash: hash, Outcome: outcomeAccepted, Source: "stored"}
}

// boundOf is CONFIT_BOUND of a report, in seconds: after a relapse something follows, or the
// container isn't started any more. The second life and the time that the app has to outlive it
// elsewhere take --young each.
func (t *transition) boundOf(r *linker.Record) string {
	if r.Outcome != outcomeRelapsed {
		return ""
	}
	whole := min(2*t.config.YoungFor()+restartPatience+t.config.HookTimeout, maxBound)
	return strconv.Itoa(int((whole + time.Second - 1) / time.Second))
}
