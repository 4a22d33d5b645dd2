package supervisor

import (
	"log/slog"
	"time"

	"confit/linker"
	"confit/status"
	"confit/supervisor/verdict"
)

// exposure is how far a candidate has come towards the app.
type exposure int

const (
	hidden   exposure = iota // only hooks read it
	visible                  // the targets lead to it, or some of them do
	read                     // the app may have read it, too: from now on it is to blame
	restored                 // it was taken back after that: the app has to read the accepted one
)

// published reports that the targets lead to the candidate.
func (e exposure) published() bool { return e == visible || e == read }

// reached reports that the app may have read the candidate.
func (e exposure) reached() bool { return e == read || e == restored }

// proof is what is still to be proved.
type proof struct {
	until     time.Time // the app must live until then
	readyBy   time.Time // the app must have said READY=1 by then; zero: it needn't
	attempted time.Time // when the verify hook was started last
	verifyBy  time.Time // the verify hook must have succeeded by then; zero: it needn't, or has
}

// verifying reports that the verify hook has to succeed first.
func (t proof) verifying() bool { return !t.verifyBy.IsZero() }

// complaints is what confit can't do and tries again, by topic. The log says the same once.
type complaints [topics]string

// topic is what a complaint is about.
type topic int

const (
	applying    topic = iota // what is mounted
	relinking                // links of the accepted generation that others have changed
	noting                   // what is accepted
	rerendering              // the accepted generation
	reporting                // by the report hook
	topics
)

// isNew notes a complaint, and reports whether the log has yet to say it. "": there is none.
func (c *complaints) isNew(about topic, text string) (isNew bool) {
	isNew = text != "" && text != c[about]
	c[about] = text
	return isNew
}

// exit is how confit ends.
type exit = verdict.Exit

// Rejected is why confit ended before the app was started.
type Rejected struct {
	Step   string
	Reason error
	Tail   string // the last that the hook printed, when it was a hook
}

func (r *Rejected) Error() string {
	return "cannot start: the first configuration was rejected: " + r.Reason.Error()
}

func (r *Rejected) Unwrap() error { return r.Reason }

// Output is the last that the hook printed.
func (r *Rejected) Output() string { return r.Tail }

// notStarted is the failure of a hook that could not be started.
type notStarted struct{ error }

func (e *notStarted) Unwrap() error { return e.error }

// notes is how note.json stands.
type notes struct {
	held   *linker.Note // what it holds
	given  *linker.Note // what the linker was given last to write; held, if that was done or refused
	by     time.Time    // when a note that was refused is tried again
	tellBy time.Time    // when an outcome is told that can't be noted; zero: no note was refused
}

// history is what has happened, where the rest of the state shows it no more. It is for the status
// and the log: nothing is decided by it. What a pointer leads to never changes.
type history struct {
	live       *status.Generation // what the targets lead to; nil: nothing, or nobody knows yet
	proven     *proven            // what was accepted last that is proved; nil: nothing was yet
	tried      *status.Generation // the candidate that is on its way; nil: none is
	undecided  time.Time          // since when a change is neither accepted nor rejected; zero: there is none
	lastReport *status.Report
	gated      time.Time       // since when the gate is asked, or waits for that
	stalled    time.Time       // since when the linker's answer is overdue; zero: it isn't
	damaged    bool            // bytes of the accepted generation, which no volume has any more
	relinked   time.Time       // when the links files were changed; zero: they are as they were read
	count      status.Counters // each goes up where the thing happens: no state shows how often it did
}

// proven is an accepted generation, and what proved it.
type proven struct {
	linker.Rung
	by string
}

// say is the action that logs a line.
type say struct {
	level   slog.Level
	message string
	keys    []any
}

// known is what is known against staged keys: nil where nothing is. What a pointer leads to never
// changes.
type known struct {
	rejected *verdict.Verdict // against what is mounted, which isn't live
	doubted  *verdict.Verdict // against what is in force: it isn't proved, or the app isn't well on it
	killed   *verdict.Verdict // what confit was killed with, or the app ended on at its entrypoint
	died     *verdict.Verdict // what the app died of after it was accepted
	told     *verdict.Verdict // what the status shows: the last one that was told, whether or not it stands
	recorded *verdict.Verdict // what the next confit finds if this one is killed

	held     *verdict.Verdict // on a death of the app, until From: a stop says that it was none
	heldLine *say             // what the log is to say then; nil: nothing
	before   *linker.Ladder   // the ladder without that death; nil: it isn't counted
}

// isUnproved reports that what is in force was accepted without a proof, as there was nothing else.
func (k *known) isUnproved() bool { return k.doubted != nil && k.doubted.Attempts > 0 }

// isWell reports that nobody has to ask verify again about the app on what was accepted before.
func (k *known) isWell() bool { return k.doubted.TryBy().IsZero() }

// ails is why; "": it is well.
func (k *known) ails() string {
	if k.isWell() {
		return ""
	}
	return k.doubted.Step + ": " + k.doubted.Reason
}

// heldBy is when the verdict that is held counts; zero: none is held.
func (k *known) heldBy() (by time.Time) {
	if k.held != nil {
		by = k.held.From
	}
	return by
}

// replace puts a verdict in the place of the same one.
func (k *known) replace(v, by *verdict.Verdict) {
	for _, slot := range []**verdict.Verdict{&k.rejected, &k.held, &k.told} {
		if *slot == v {
			*slot = by
		}
	}
}

// risk is the step of a candidate in which a kill of confit would count.
type risk struct {
	step     string // "": in none
	suspects string // who may need too much memory in it
}
