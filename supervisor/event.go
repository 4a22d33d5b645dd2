package supervisor

import (
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
)

// event is something that happened. Its name is a participle.
type event interface{ event() }

type (
	hinted    struct{} // something may have changed in a volume
	elapsed   struct{} // the deadline may have passed
	unchanged struct{} // staging found what was there before
	staged    struct { // a candidate is written
		candidate    linker.Candidate
		reloadAction config.Action
		splay        time.Duration // how long this replica waits before it reloads the app
	}
	armed   struct{}               // the trial is noted, or can't be
	checked struct{ watched bool } // the candidate is as it was staged; watched as in published
	invalid struct {               // what is mounted, or what a hook made of it, can't be a candidate
		reason  error
		changes []linker.Change // of what is mounted, as far as they are known
	}
	failed    struct{ err error }    // the system refused the linker something
	crashed   struct{ err error }    // the configuration side panicked
	published struct{ watched bool } // whether the linker sees when somebody opens what has changed
	barred    struct{ err error }    // nothing was published, as the app can't be signalled
	opened    struct{}               // somebody has opened it
	touched   struct {               // the changed targets have new links
		watched bool  // as in published
		err     error // why not all of them have
	}
	superseded struct{} // the volumes changed once more, nothing was published
	withdrawn  struct {
		undone  error           // what could not be put right beside it
		changes []linker.Change // from the generation that goBack dropped to the one before
	}
	noted  struct{} // the linker has something new for the status
	stored struct { // or not: the accepted generation
		store
		err error
	}
	compared struct { // whether the volumes moved on since the candidate was staged
		moved bool
		err   error
	}
	peeked struct { // at what is mounted
		changed bool   // it isn't what was known; false, too, if it can't be read
		hash    string // "": it can't be a candidate
		changes []linker.Change
	}
	reportStored struct {
		report *linker.Report
		err    error
	}
	reportStartFailed struct{ err error }
	reportEnded       struct{ status process.Status }
	hookBegun         struct{}
	hookStartFailed   struct{ err error }
	hookEnded         struct {
		status process.Status
		tail   string // the last it printed
	}
	probed struct {
		disposition signals.Disposition
		runs        string // the program that the app runs
		program     string // the same, or what it is wrapped around, as habits names it
		alone       bool   // no child of it runs the same program, which it has habits for
	}
	sent        struct{}             // the reload signal
	denied      struct{ err error }  // a signal was refused, or would be
	reached     struct{}             // the app can be signalled again
	unheard     struct{ waits bool } // the stop signal isn't sent, as nobody would take it, or only seems to wait for it
	delivered   struct{ taken bool } // whether somebody has taken the signal that was sent
	inspected   struct{ inside bool }
	started     struct{ pid int }
	startFailed struct { // the app could not be started
		err  error
		code int
	}
	exited struct { // the app
		status    process.Status
		forked    bool // it ended well, and left a process behind
		oom       bool // the kernel killed something in this container for want of memory
		typed     bool // a key of its terminal ended it
		successor app  // with --adopt: what took its place, if anything did
	}
	reaped    struct{}            // some other child
	cleared   struct{ left bool } // whether something of the old app is left
	signalled struct{ signal signals.Signal }
	heard     struct{ message notify.Message } // of the app, by sd_notify(3)
	linksRead struct{ sum config.LinksSum }    // the links files were looked at
	mended    struct{ err error }              // what of the links that others have changed could not be put right
)

func (hinted) event()          {}
func (elapsed) event()         {}
func (unchanged) event()       {}
func (staged) event()          {}
func (armed) event()           {}
func (checked) event()         {}
func (invalid) event()         {}
func (failed) event()          {}
func (crashed) event()         {}
func (published) event()       {}
func (superseded) event()      {}
func (opened) event()          {}
func (touched) event()         {}
func (withdrawn) event()       {}
func (noted) event()           {}
func (stored) event()          {}
func (hookBegun) event()       {}
func (hookStartFailed) event() {}
func (hookEnded) event()       {}
func (probed) event()          {}
func (sent) event()            {}
func (unheard) event()         {}
func (denied) event()          {}
func (reached) event()         {}
func (barred) event()          {}
func (delivered) event()       {}
func (inspected) event()       {}
func (started) event()         {}
func (startFailed) event()     {}
func (exited) event()          {}
func (reaped) event()          {}
func (cleared) event()         {}
func (signalled) event()       {}
func (heard) event()           {}
func (linksRead) event()       {}
func (mended) event()          {}

func (peeked) event()            {}
func (compared) event()          {}
func (reportStored) event()      {}
func (reportStartFailed) event() {}
func (reportEnded) event()       {}

// action is something to do. Its name is an imperative.
type action interface{ action() }

type (
	mend     struct{}                       // puts links right that others have changed; answered by mended
	stage    struct{ again, fallback bool } // answered by staged, unchanged (neither again nor the fallback), invalid, failed or crashed; and by denied or reached if that is new
	arm      struct{ step string }          // answered by armed or crashed
	noteStep struct{ step string }          // of what is published; without an answer
	complete struct{}                       // answered by staged, invalid, failed or crashed
	check    struct {                       // answered by checked, invalid, failed or crashed
		watch []linker.Change // who opens it from now on; nil: as before
	}
	publish struct { // answered by published, barred, superseded, failed or crashed
		watch []linker.Change // who opens it
		app   int             // that must be within reach; 0: nobody is signalled
	}
	withdraw struct{} // answered by withdrawn, failed or crashed
	goBack   struct{} // to the generation before the accepted one; answered as withdraw
	accept   struct {
		survived bool
		at       int64 // see linker.Generation
	}
	store struct { // answered by stored
		generation linker.Generation
		proof      string
	}
	tidy    struct{}
	discard struct{}
	runHook struct { // answered by hookBegun or hookStartFailed, then by hookEnded
		name      string // of its flag
		command   []string
		candidate linker.Candidate
		variables []string // NAME=VALUE, besides what says which candidate
	}
	terminateHook struct{}                        // asks it to end
	peek          struct{}                        // answered by peeked or crashed
	compare       struct{}                        // answered by compared
	forget        struct{}                        // what is mounted is staged again, even if it doesn't change
	storeReport   struct{ report *linker.Report } // answered by reportStored
	runReport     struct {                        // answered by reportStartFailed, or later by reportEnded
		command   []string
		inForce   linker.Generation
		report    *linker.Report
		variables []string
	}
	killReport struct{}
	killHook   struct{}
	spawn      struct{} // answered by started or startFailed
	probe      struct { // answered by probed
		pid    int
		signal signals.Signal
	}
	ask struct { // the app to stop; answered by unheard or denied, if it is
		pid    int
		signal signals.Signal
	}
	deliver struct { // a reload signal; answered by sent or denied
		pid    int
		signal signals.Signal
	}
	track struct { // answered by delivered
		pid    int
		signal signals.Signal
	}
	touch        struct{ changes []linker.Change } // answered by touched or crashed
	unwatchOpens struct{}
	lookAtLinks  struct{} // answered by linksRead, unless they can't be read
	abandonTrial struct{}
	noteUser     struct{ user process.User } // of the app
	inspect      struct{ pid int }           // answered by inspected
	signal       struct {                    // answered by denied, if it is
		pid    int
		signal signals.Signal
	}
	wake         struct{ pid int } // an app that is stopped (^Z) doesn't act on a signal to end
	endLeftovers struct {          // answered by cleared
		group     process.Group
		signal    signals.Signal // 0: only look
		everybody bool           // confit ends after it
	}
	say struct {
		level   slog.Level
		message string
		keys    []any
	}
)

func (mend) action()         {}
func (stage) action()        {}
func (arm) action()          {}
func (noteStep) action()     {}
func (complete) action()     {}
func (check) action()        {}
func (publish) action()      {}
func (withdraw) action()     {}
func (goBack) action()       {}
func (accept) action()       {}
func (store) action()        {}
func (tidy) action()         {}
func (discard) action()      {}
func (runHook) action()      {}
func (killHook) action()     {}
func (spawn) action()        {}
func (probe) action()        {}
func (ask) action()          {}
func (deliver) action()      {}
func (track) action()        {}
func (inspect) action()      {}
func (touch) action()        {}
func (unwatchOpens) action() {}
func (abandonTrial) action() {}
func (noteUser) action()     {}
func (lookAtLinks) action()  {}
func (signal) action()       {}
func (wake) action()         {}
func (endLeftovers) action() {}
func (say) action()          {}

func (peek) action()          {}
func (compare) action()       {}
func (forget) action()        {}
func (terminateHook) action() {}
func (storeReport) action()   {}
func (runReport) action()     {}
func (killReport) action()    {}
