package linker

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
	"confit/linker/watch"
)

const statusName = "status.json"

// Linker stages generations, and makes the targets lead to one of them. It belongs to one goroutine
// at a time.
type Linker struct {
	config    Config
	links     []*lines.Line
	state     *statedir.Dir
	otherwise func() (Candidate, error) // what Stage does in a try; nil: it isn't one
	reader    *volume.Reader
	copies    *generation.Store
	targets   *target.Set
	watch     *watch.Changes
	opens     *watch.Opens
	log       *slog.Logger
	ownDirs   []string // what Owns looks for

	generations map[int]*generation.Stored // those that are on the disk, by number
	former      generation.Stored          // what a former confit left in force, if it is not one of these
	noted       []int                      // the numbers of those that note.json names
	shown       int                        // the one that this confit put in force; 0: none yet
	// the staged keys of the last look: their targets are found with those of the rendered keys
	unlinked []volume.Key
	mounts   *mounts.Table // until the first look

	volumes    []VolumeStatus                     // as the last look found them
	unrepaired map[string]error                   // what could not be put right last, and why
	saidBefore map[string]error                   // the same of the time before that, as the log has said
	repairs    int                                // calls of Repair so far
	anew       bool                               // something was missing since the last one
	renew      func() (moved []string, err error) // see statedir.Dir.Renew
	lastNote   *Note                              // what note.json holds; nil: nothing of this confit's
	lastTrial  Trial                              // the same of the trial
	unread     error                              // see Note

	tooPrivate []int // links to rendered files that the app's user can't open, and the log says so
	toldAlone  bool  // the log says which copies are their user's alone
	unrecorded bool  // the trial could not be recorded, and the log says so
}

// What to say of links files without a source.
const (
	nothingLinked = "nothing is linked: the app gets no key"
	firstLine     = "write a line such as link web/nginx.conf /etc/nginx/nginx.conf"
)

// ErrEmptied is about a candidate that somebody has removed, with the directory that had it.
// Another look stages it again.
var ErrEmptied = errors.New("somebody has moved or removed what confit works in")

const emptiedTodo = "let no entrypoint remove /run/*, and mount the state directory into no other container, or read-only there"

func newLinker(c Config, st *statedir.Dir) *Linker {
	copier := files.NewCopier()
	return &Linker{
		config:      c,
		links:       c.lines,
		state:       st,
		copies:      &generation.Store{Copier: copier, Links: c.lines, State: st, Log: c.Log},
		generations: map[int]*generation.Stored{},
		reader:      volume.NewReader(copier, c.lines, st, c.AllowDisk),
		targets:     target.New(st, c.Log),
		watch:       watch.NewChanges(c.Log, st.Path, statedir.Names),
		opens:       watch.NewOpens(),
		log:         c.Log,
		ownDirs:     st.OwnDirs(),
		renew:       st.Renew,
	}
}

// Close ends all watches. No hint comes after it.
func (l *Linker) Close() {
	l.opens.Unwatch()
	l.watch.End()
}

// Hints receives a value when something may have changed in a volume. A look takes back a hint of what
// it sees: take none while one runs.
func (l *Linker) Hints() <-chan struct{} { return l.watch.Hints }

// Owns reports whether a path is inside a generation and so goes away with it. Any goroutine may
// ask. It asks no file system.
func (l *Linker) Owns(path string) bool {
	return slices.ContainsFunc(l.ownDirs, func(dir string) bool { return path != dir && files.Inside(path, dir) })
}

// Collect removes all generations but the accepted ones, the live one and those that note.json
// names, as the next confit looks for these. Before the first acceptance the one that a former
// confit left in force stays, too. What is newer than the newest that the caller knows stays in any
// case.
//
// It also returns the memory of staging to the system, as the collector alone would keep some MiB
// for ever. After the first generation that costs more memory than it frees. It takes long with
// many files: call it after the app was reloaded.
func (l *Linker) Collect(newest int, accepted ...int) {
	if len(accepted) > 0 {
		l.former = generation.Stored{}
	}
	used := l.inUse(accepted)
	for n := newest + 1; n <= l.Newest(); n++ {
		used[n] = true
	}
	_, _ = l.state.Collect(used)
	for n, g := range l.generations {
		g.Unmoved = nil // it leads to all that was looked at
		if !used[n] {
			delete(l.generations, n)
		}
	}
	if l.state.Next > 2 {
		debug.FreeOSMemory()
	}
}

// Newest is the highest number that a generation had so far; 0: there was none.
func (l *Linker) Newest() int { return l.state.Next - 1 }

// Discard removes a candidate that nobody waits for, and leaves a hint of it. What is in force or noted
// stays.
func (l *Linker) Discard(number int) {
	l.watch.Hint()
	if !l.inUse(nil)[number] {
		l.state.RemoveGeneration(number)
		delete(l.generations, number)
	}
}

// inUse lists what Collect leaves alone.
func (l *Linker) inUse(accepted []int) map[int]bool {
	used := map[int]bool{l.state.LiveNumber(): true, l.former.Number: true}
	for _, n := range append(accepted, l.noted...) {
		used[n] = true
	}
	return used
}

// names compares the names that confit works in with what it holds open, and makes anew what isn't
// there any more. Then [Linker.Repair] is to follow.
func (l *Linker) names() error {
	moved, err := l.renew()
	l.anew = l.anew || len(moved) > 0
	if len(moved) == 0 || err != nil { // a hint would lead here at once
		return err
	}
	l.log.Warn("state directory made anew: somebody had moved or removed what confit works in", "paths", moved,
		"todo", emptiedTodo)
	l.watch.Empty()
	for _, g := range l.generations {
		if l.isGone(g.Number) {
			g.Unmoved = func() error { return ErrEmptied }
		}
	}
	return nil
}

// isGone reports that a generation's directory isn't there.
func (l *Linker) isGone(number int) bool { return l.state.Generations.Missing(strconv.Itoa(number)) }

// generation is one of those on the disk.
func (l *Linker) generation(number int) (*generation.Stored, error) {
	if g := l.generations[number]; g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("cannot use generation %d: there is none in state directory %q", number, l.state.Path)
}

// Changes lists the keys that differ from one generation to another.
func (l *Linker) Changes(from, to int) []Change {
	if l.generations[to] == nil {
		return nil
	}
	return generation.Changes(l.generations[from], l.generations[to])
}

// WriteStatus replaces status.json. Any goroutine may call it: it touches only a temporary name of
// its own.
func (l *Linker) WriteStatus(data []byte) error {
	return l.state.Replace(statusName, data)
}

// Volumes is what the last look found, in the order of the links.
func (l *Linker) Volumes() []VolumeStatus { return l.volumes }

// ReadStatus returns status.json of a state directory, see [statedir.ReadFile].
func ReadStatus(dir string) ([]byte, error) {
	data, err := statedir.ReadFile(dir, statusName)
	switch {
	case err == unix.ENOENT:
		return nil, fmt.Errorf("cannot read a status in state directory %q: there is none; "+
			"confit has not written one yet, or works in another directory: name it with --state", dir)
	case err != nil:
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(dir, statusName), err)
	}
	return data, nil
}
