// Package outcomes knows what others are told of changes, by the report hook, and in which order.
//
// Other replicas wait for what becomes of a change that a gate was asked about, so nothing of it is
// skipped. It stands in a list, in the order of decisions, which the note holds. A question stands
// there before the gate is asked; its outcome takes its place in the same write as what that
// decides. The first outcome is told until the hook takes it, and then goes. Of everything else the
// newest waits in memory, and is told once.
//
// It guarantees that
//   - one question at most is open, and one outcome is told at a time;
//   - an outcome in the list stays there until the hook has taken it. That all is well is the
//     exception: whatever follows takes its place;
//   - what isn't in the list is told once, and only where it is news.
//
// It starts no hook and writes no note: its moves say what follows. It doesn't know what is
// accepted: the caller says so.
package outcomes

import (
	"slices"
	"time"

	"confit/linker"
)

// How a change ended, as CONFIT_OUTCOME says it.
const (
	Accepted   = "accepted"
	Rejected   = "rejected"
	RolledBack = "rolled-back" // rejected after the app may have read it
	Superseded = "superseded"  // by a newer change, before it was decided
	Stopped    = "stopped"     // confit ended before it was decided

	// What became of it later.
	Relapsed = "relapsed" // the app has ended before it had lived with it for --soak
	Soaked   = "soaked"   // the app has lived with it for --soak
)

// Outcomes is what has to be told, and how far that has come. The zero value has nothing to tell.
type Outcomes struct {
	List []linker.Outcome // as the note is to hold it; a move makes a new one where that changes

	other *linker.Outcome // the newest that no gate was asked about, until it was told once
	last  *linker.Outcome // what was told last
	Hook
}

// Any reports that there are some.
func (o *Outcomes) Any() bool { return len(o.List) > 0 || o.other != nil || o.Reporting != nil }

// IsQuestion reports that nothing is decided.
func IsQuestion(r linker.Outcome) bool { return r.Kind == "" }

// IsDecided reports that there is an outcome.
func IsDecided(r linker.Outcome) bool { return r.Kind != "" }

// IsGood reports that all is well with what was accepted before.
func IsGood(r linker.Outcome) bool {
	return r.Kind == Soaked || r.Kind == Accepted && r.Source == "stored"
}

// Question is the hash that a gate was asked about, or is about to be; "": none is open.
func (o *Outcomes) Question() (hash string) {
	if i := slices.IndexFunc(o.List, IsQuestion); i >= 0 {
		hash = o.List[i].Hash
	}
	return hash
}

// Ask opens the question about a hash. One about another hash goes. It reports whether the list has
// changed.
func (o *Outcomes) Ask(hash string) (isNew bool) {
	if o.Question() == hash {
		return false
	}
	o.Unask()
	o.List = append(o.List, linker.Outcome{Hash: hash})
	return true
}

// Unask drops the question: it could not be noted.
func (o *Outcomes) Unask() { o.drop(IsQuestion) }

// Undelivered is what the next gate waits for, or nil: the hook hasn't taken how the one before ended,
// or what came of that.
func (o *Outcomes) Undelivered() *linker.Outcome {
	for i, r := range o.List {
		if IsDecided(r) && !IsGood(r) {
			return &o.List[i]
		}
	}
	return nil
}

// SaysGood reports that the list has to tell that all is well.
func (o *Outcomes) SaysGood() bool { return slices.ContainsFunc(o.List, IsGood) }

// Answer gives the question its outcome.
func (o *Outcomes) Answer(r linker.Outcome) {
	o.Unask()
	o.Put(r)
}

// Put puts an outcome behind the others.
func (o *Outcomes) Put(r linker.Outcome) {
	o.drop(IsGood)
	o.List = append(o.List, r)
	if !o.runs() {
		o.By, o.Wait = time.Time{}, 0
	}
}

// Offer has an outcome told once that no gate was asked about, if it is news.
func (o *Outcomes) Offer(r *linker.Outcome) {
	if o.isNews(r) {
		o.drop(IsGood)
		o.other = r
	}
}

// isNews reports that this isn't what was told last, or is about to be.
func (o *Outcomes) isNews(r *linker.Outcome) bool {
	newest := o.newest()
	return newest == nil || newest.Hash != r.Hash || newest.Kind != r.Kind || newest.Step != r.Step
}

// newest is what others will have heard last, or nil.
func (o *Outcomes) newest() *linker.Outcome {
	last := len(o.List) - 1
	switch {
	case o.other != nil:
		return o.other
	case last >= 0 && IsDecided(o.List[last]):
		return &o.List[last]
	case o.runs():
		return o.Reporting
	}
	return o.last
}

// IsListed reports that an outcome is told until the hook takes it. The end of confit waits for that.
func (o *Outcomes) IsListed(r *linker.Outcome) bool { return r != nil && slices.Contains(o.List, *r) }

// drop makes a list without some.
func (o *Outcomes) drop(gone func(linker.Outcome) bool) {
	o.List = slices.DeleteFunc(slices.Clone(o.List), gone)
}
