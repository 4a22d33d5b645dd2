package supervisor

import (
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

// rejection is what became of the mounted configuration, if it was rejected.
type rejection struct {
	stands  bool          // the mounted configuration isn't live, and the log says so
	inputs  linker.Hash   // of the candidate: what a renderer makes of them may differ. Zero when there was none
	nextTry time.Time     // zero: only a change is tried
	wait    time.Duration // before nextTry; the next wait is twice as long
}

// exit is how confit ends.
type exit struct {
	code   int
	reason error // nil when the app or the platform decided it
}

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

// verdict is what it means that a generation is rejected: for the log, the status and the report.
type verdict struct {
	line      *say              // nil: it was said
	rejection *status.Rejection // nil: the status is about something else
	outcome   *linker.Outcome   // nil: nothing is told
	by        time.Time         // when one that is held is passed
	before    *linker.Ladder    // before it counted a death; nil: it counts none
}

func (v verdict) stands() bool { return v.outcome != nil || v.before != nil }

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
	live          *status.Generation // what the targets lead to; nil: nothing, or nobody knows yet
	tried         *status.Generation // the candidate that is on its way; nil: none is
	undecided     time.Time          // since when a change is neither accepted nor rejected; zero: there is none
	lastRejection *status.Rejection
	lastReport    *status.Report
	gated         time.Time       // since when the gate is asked, or waits for that
	stalled       time.Time       // since when the linker's answer is overdue; zero: it isn't
	damaged       bool            // bytes of the accepted generation, which no volume has any more
	relinked      time.Time       // when the links files were changed; zero: they are as they were read
	count         status.Counters // each goes up where the thing happens: no state shows how often it did
}

// say is the action that logs a line.
type say struct {
	level   slog.Level
	message string
	keys    []any
}

// setback is how what is mounted failed, at a start where nothing is accepted.
type setback struct {
	stands   bool
	end      exit // how confit ends if there is nothing else
	bearable bool // the app can be started on it all the same: it was only not well, or nobody let it go
}

// noteSetback notes how what is mounted failed. What failed first decides, and not the fallback,
// unless that is the last rung.
func (s *state) noteSetback(end exit, bearable bool) {
	if !s.setback.stands || s.ladder.IsDown() {
		s.setback = setback{true, end, bearable}
	}
}
