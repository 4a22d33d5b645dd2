package linker

import "log/slog"

// never is the fingerprint before the first look.
const never = "never"

// Linker stages, publishes and links. It belongs to one goroutine at a time.
type Linker struct {
	links    []source
	mount    string // Config.Volumes
	fallback string // Config.Fallback
	rendered []int  // the links whose keys the renderer makes
	renders  bool   // a hook makes files of the staged keys
	space    int    // see Config
	state    *state
	reader   reader
	copies   copies
	targets  targets
	trials   trials
	watch    *watcher
	opens    opens
	log      *slog.Logger
	ownDirs  []string // what Owns looks for

	seen     string      // fingerprint of the last look that came to an end
	peeked   string      // the same, also of one that only peeked
	accepted *generation // the accepted generation, nil before the first
	earlier  *generation // the newest one before it that survived a start, nil if it did itself
	dropped  *generation // what GoBack went back from
	staged   *generation // the candidate
	unlinked []keyFile   // the candidate's staged keys, until the renderer's are known, too
	previous *previous   // what Reject puts in force again; nil when that is in force
	mounts   *mountTable // until the first look

	volumes  []VolumeReport    // as the last look found them
	unmended map[string]string // what could not be mended last, and why

	noted      []int // the generations that accepted.json names
	tooPrivate []int // links to rendered files that the app's user can't open, and the log says so
	untrusted  error // why what a former confit stored isn't trusted
}

// previous is what was in force before a candidate was published.
type previous struct {
	number  int             // what the live link pointed at
	targets map[Target]want // what was wanted of the targets
}

// Hints receives a value when something may have changed in a volume.
// [Linker.Stage] finds out whether it has.
func (l *Linker) Hints() <-chan struct{} { return l.watch.hints }

// Owns reports whether a path is inside a generation and so goes away with it:
// an app's working directory, as the kernel knows it. Owns doesn't ask the file
// system, and may be called from any goroutine.
func (l *Linker) Owns(path string) bool {
	for _, dir := range l.ownDirs {
		if path != dir && inside(path, dir) {
			return true
		}
	}
	return false
}

func (l *Linker) acceptedNumber() int {
	if l.accepted == nil {
		return 0
	}
	return l.accepted.Number
}

// needed lists the generations that may be needed again: the accepted and the
// earlier one, the candidate, the one that is live, and those that
// accepted.json names, as the next confit looks for these.
func (l *Linker) needed() map[int]bool {
	numbers := map[int]bool{l.state.liveNumber(): true}
	for _, n := range l.noted {
		numbers[n] = true
	}
	for _, g := range []*generation{l.accepted, l.earlier, l.staged} {
		if g != nil {
			numbers[g.Number] = true
		}
	}
	return numbers
}

// killsRenderer reports that confit was killed while the renderer ran on these keys.
// If they are the accepted generation's, that has the files already.
func (l *Linker) killsRenderer(inputs Hash) bool { return l.trials.of(inputs).Step == StepRender }
