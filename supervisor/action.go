package supervisor

import (
	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/supervisor/app"
)

// action is something to do. Its name is an imperative. Its method does it in the loop, and returns
// the answer if that is known at once.
type action interface{ perform(l *loop) event }

// job is something for the linker to do, which may take time: another goroutine carries the jobs
// out, one after the other, as slots says. Their answers are events.
type job interface{ carryOut(l *loop) event }

// assign is the action that hands the linker a job.
type assign struct{ job }

func (a assign) perform(l *loop) event {
	l.order(a.job)
	return nil
}

// toApp is an action of the app's half.
type toApp struct{ app.Action }

type (
	// puts right what others have changed, of this generation where that is in force; answered by
	// repaired
	repair struct {
		number  int
		awaited bool // answered by crashed, too
	}
	// answered by staged, unchanged (not of the fallback), invalid, failed or crashed; and by
	// denied if that is new
	stage struct {
		known    linker.Known
		fallback bool
	}
	record struct { // no trial ends it
		trial   linker.Trial
		awaited bool // answered by recorded or crashed
	}
	complete struct{ number, accepted int } // answered by staged, invalid, failed or crashed
	publish  struct {                       // answered by published, barred, superseded, invalid, failed or crashed
		number int
		watch  []linker.Change // who opens it
		app    int             // that must be within reach; 0: nobody is signalled
		hooked bool            // hooks were run on it
		shown  bool            // it is published, or is only tried, and a hook was run on it: only that is looked at
	}
	goBack    struct{ to, from int }      // answered by withdrawn, lost, failed or crashed
	writeNote struct{ note *linker.Note } // answered by noted
	collect   struct {                    // removes all other generations
		inUse  []int
		newest int // that step knew: none that is newer is removed
	}
	discard struct{ number int } // removes a candidate that step never hears of
	has     struct{ number int } // of the loop itself, before a hook; answered by had
	runHook struct {             // answered by hookStartFailed, or later by hookEnded
		name      string // of its flag
		command   []string
		candidate linker.Candidate
		variables []string // NAME=VALUE, besides what says which candidate
	}
	terminateHook struct{}             // asks it to end
	compare       struct{ number int } // answered by compared
	// at what is mounted, while the generation in force is proved; answered by glanced
	glance struct {
		inForce, accepted int
	}
	runReport struct { // answered by reportEnded, at once if it can't be started
		command   []string
		inForce   linker.Generation
		report    *linker.Outcome
		variables []string
	}
	killReport struct{}
	killHook   struct{}
	touch      struct { // answered by touched or crashed
		number  int
		changes []linker.Change
	}
	unwatchOpens struct{}
	// answered by linksRead, if they differ
	lookAtLinks struct{ known config.LinksSum }
	noteUser    struct{ user process.User } // of the app
	inspect     struct{ pid int }           // answered by inside, if it works there
)
