package supervisor

import (
	"cmp"
	"log/slog"
	"time"

	"confit/linker"
	"confit/status"
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

// takenBack is what becomes of it when the targets lead to the accepted one
// again.
func (e exposure) takenBack() exposure {
	if e.reached() {
		return restored
	}
	return hidden
}

// gate is how far the gate hook has come.
type gate struct {
	asked    bool      // the hook was started
	by       time.Time // when it must have ended; zero: it may wait for ever
	lookBy   time.Time // when the volumes are looked at meanwhile; zero: they aren't
	looking  bool      // the linker looks at them
	outdated bool      // they moved on, and the hook was asked to end
}

// proof is what is still to be proved.
type proof struct {
	generation bool      // the generation is in doubt; else only the app, after a roll back
	until      time.Time // the app must live until then
	readyBy    time.Time // the app must have said READY=1 by then; zero: it needn't
	attempted  time.Time // when the verify hook was started last
	verifyBy   time.Time // the verify hook must have succeeded by then; zero: it needn't, or has
	failure    error     // how its last attempt ended
	tail       string    // and the last it printed
}

// verifying reports that the verify hook has to succeed first.
func (t proof) verifying() bool { return !t.verifyBy.IsZero() }

// awaitsReady reports that the app has announced READY=1.
func (t proof) awaitsReady() bool { return !t.readyBy.IsZero() }

// readiness is how far an app that speaks sd_notify(3) has come. RELOADING=1
// comes before READY=1 in a reload: so a late READY=1 of the start isn't taken
// for the reload's.
type readiness int

const (
	nothing readiness = iota
	begun             // it starts or reloads, and may say READY=1 next
	ready
)

// rejection is what became of the mounted configuration, if it was rejected.
type rejection struct {
	stands  bool          // the mounted configuration isn't live, and the log says so
	hash    linker.Hash   // of the candidate; zero when it had none
	nextTry time.Time     // zero: only a change is tried
	wait    time.Duration // before nextTry; the next wait is twice as long
	cost    costly        // stays while the same keys are rejected before they are rendered
}

// isDue reports that it is time to try again.
func (r rejection) isDue(now time.Time) bool { return !r.nextTry.IsZero() && !now.Before(r.nextTry) }

// costly is a candidate that was rejected after the app had read it. A renderer
// that fails now and then must not bring it back to the app again and again.
type costly struct {
	hash   linker.Hash // zero: there is none
	inputs linker.Hash // before it was rendered; zero: not known yet
	step   string      // that rejected it; "": the probation
}

func (c costly) is(hash linker.Hash) bool { return c.hash != linker.Hash{} && c.hash == hash }

// exit is how confit ends.
type exit struct {
	code   int
	reason error // nil when the app or the platform decided it
}

// Rejected is why confit ended before the app was started.
type Rejected struct {
	Reason error
	Tail   string // the last that the hook printed, when it was a hook
}

func (r *Rejected) Error() string {
	return "cannot start: the first configuration was rejected: " + r.Reason.Error()
}

func (r *Rejected) Unwrap() error { return r.Reason }

// Output is the last that the hook printed.
func (r *Rejected) Output() string { return r.Tail }

// verdict is what it means that a generation is rejected: for the log, the status
// and the report.
type verdict struct {
	line      say               // without a message: it was said
	rejection *status.Rejection // nil: the status is about something else
	report    *linker.Record    // nil: there is no verdict
	by        time.Time         // when one that is held is passed
	outlive   time.Duration     // the app has to live so long on what it went back to until that is reported; 0: it needn't
	relapses  int               // how many it counts
}

func (v verdict) stands() bool { return v.report != nil }

// contrast is a suspicion: the app was started on the generation before.
type contrast struct {
	of      linker.Accepted // the younger one
	outlive time.Duration   // the app has to live so long on the older one
	reason  string
}

// notes is how note.json stands.
type notes struct {
	held    *linker.Note // what it holds
	given   *linker.Note // what the linker was given last to write; held, if that was done or refused
	by      time.Time    // when a note that was refused is tried again
	trouble string       // why what is accepted could not be noted, as the log says it
}

// outcomes is what the report hook is told. It has a slot beside all phases:
// nothing but the next gate and the end waits for it.
type outcomes struct {
	gated *linker.Record // of the last gate that was asked, until it is delivered; nil: none
	late  *linker.Record // of a gate's change that was accepted; nil: none
	other *linker.Record // of a change without a gate, until it was told once
	last  *linker.Record // what was told last

	asked   string         // the hash of a gate's change that was accepted, until it has a late record; "": it has
	since   time.Time      // when that was accepted, by this confit
	livedBy time.Time      // when the app has lived with it for long enough; zero: nobody asks
	awaited *linker.Record // what is decided if the app lives on what it went back to; nil: nothing is
	outlive time.Duration  // for so long

	told        *linker.Record // what the hook that runs is told; nil: none runs
	by          time.Time      // when that is killed; or, if none runs, started again
	wait        time.Duration  // before the last try; the next wait is twice as long
	overdue     bool           // it was killed at its deadline
	interrupted bool           // it was killed as a stop or the app comes first
	trouble     string         // why it failed, as the log says it

	until time.Time // how long the end of confit waits for the hook; zero: confit doesn't end
	fails int       // how often it has failed since then
}

// How a change ended, as CONFIT_OUTCOME says it.
const (
	outcomeAccepted   = "accepted"
	outcomeRejected   = "rejected"
	outcomeRolledBack = "rolled-back" // rejected after the app may have read it
	outcomeSuperseded = "superseded"  // by a newer change, before it was decided
	outcomeStopped    = "stopped"     // confit ended before it was decided

	// What became of it later.
	outcomeRelapsed = "relapsed" // the app has ended while it was young
	outcomeSettled  = "settled"  // the app has lived with it for --young
)

// isOpen reports that a gate was asked about a change which isn't decided.
func (o *outcomes) isOpen() bool { return o.gated != nil && o.gated.Outcome == "" }

// due is the outcome of a gate, or a verdict against what it let go, that isn't delivered;
// or nil. It is told until the hook takes it.
func (o *outcomes) due() *linker.Record {
	switch {
	case o.gated != nil && o.gated.Outcome != "":
		return o.gated
	case o.late != nil && isVerdict(o.late.Outcome):
		return o.late
	}
	return nil
}

// isVerdict reports an outcome that others have to hear of, whenever it comes.
func isVerdict(outcome string) bool {
	return outcome == outcomeRelapsed || outcome == outcomeRolledBack
}

// isRepeated reports that a record is told until the hook takes it.
func (o *outcomes) isRepeated(r *linker.Record) bool { return r == o.gated || r == o.late }

// isOwed reports that somebody waits for what a record says. The end of confit does, too.
func (o *outcomes) isOwed(r *linker.Record) bool {
	return r != nil && (r == o.gated || r == o.late && isVerdict(r.Outcome))
}

// isNews reports that this isn't what was told last, or is about to be.
func (o *outcomes) isNews(r *linker.Record) bool {
	newest := cmp.Or(o.other, o.due(), o.told, o.last)
	return newest == nil || newest.Hash != r.Hash || newest.Outcome != r.Outcome || newest.Step != r.Step
}

// past is what has happened, where the rest of the state shows it no more. It is for the
// status and the log: nothing is decided by it. What a pointer leads to never changes.
type past struct {
	mounted       *status.Mounted    // what the last look found
	live          *status.Generation // what the targets lead to; nil: nothing, or nobody knows yet
	tried         *status.Generation // the candidate that is on its way; nil: none is
	undecided     time.Time          // since when a change is neither accepted nor rejected; zero: there is none
	lastRejection *status.Rejection
	lastReport    *status.Report
	relinked      time.Time // when the links files were changed; zero: they are as they were read
	hasRead       *bool     // whether the app has opened what changed; nil: nobody knows (yet)
	restarts      int       // of the app
	lastExit      *status.Exit
	count         status.Counters // each goes up where the thing happens: no state shows how often it did
}

// say is the action that logs a line.
type say struct {
	level   slog.Level
	message string
	keys    []any
}
