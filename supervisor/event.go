package supervisor

import (
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// event is something that happened, of one of the types below. Its name is a participle. Its method
// decides what that means.
type event interface{ take(t *transition) }

type (
	hinted    struct{} // something may have changed in a volume
	elapsed   struct{} // the deadline may have passed
	unchanged struct{} // staging found what was there before
	staged    struct { // a candidate is written
		candidate    linker.Candidate
		reloadAction config.Action
		splay        time.Duration // how long this replica waits before it reloads the app
	}
	recorded struct{} // the trial is recorded, or can't be
	invalid  struct { // the mounted configuration, or what a hook made of it, can't be a candidate
		reason  error
		changes []linker.Change    // of the mounted configuration, as far as they are known
		seen    linker.Fingerprint // of the mounted configuration; "": nobody looked
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
	lost  struct{ err error } // what was to be gone back to lacks a key
	noted struct {            // or not
		note *linker.Note
		err  error
	}
	compared struct { // whether the candidate is still the newest
		number int
		err    error
	}
	glanced struct { // what is mounted
		inForce   int
		candidate linker.Candidate // without hashes if it can't be one
		err       error            // why the system refuses to look
	}
	reportEnded struct {
		status process.Status
		err    error // why it could not be started
	}
	hookStartFailed struct {
		err     error
		refused bool // by the system, as what it is about isn't there any more
	}
	hookEnded   process.HookEnd
	probed      struct{ app.Finding }
	sent        struct{}            // the reload signal
	denied      struct{ err error } // a signal was refused, or would be; nil: no longer
	inside      struct{}            // the app works in a generation
	started     struct{ pid int }
	looked      struct{ app.Sight }    // at an app that runs
	began       struct{ at time.Time } // the app: it has executed its daemon
	startFailed struct {               // the app could not be started
		err  error
		code int
	}
	exited    struct{ app.Exit }   // the app
	reaped    struct{ number int } // of other children
	cleared   struct{ left bool }  // whether something of the old app is left
	signalled struct{ signal signals.Signal }
	heard     struct { // of the app, by sd_notify(3)
		message notify.Message
		itself  bool // it is not from a process that the app has started
	}
	linksRead struct{ sum config.LinksSum } // the links files have changed
	had       struct{ err error }           // whether a generation is there; step never hears of it
	emptied   struct{}                      // names in the state directory may be gone
	repaired  struct {                      // what others have changed
		err     error // what could not be put right
		anew    bool  // something was made anew that somebody had moved, damaged or removed
		awaited bool
	}
)
