// Package watch turns what inotify tells into hints: that something may have changed in a
// directory, and that somebody has opened a file. Where the kernel refuses inotify there are no
// hints, and that is said once.
//
// It does not know what is in the directories, and finds out nothing by itself: a hint is a reason
// to look.
package watch

import (
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Changes turns what fsnotify tells into hints. The kind of event doesn't matter: the truth is what
// ..data points at and what the keys hash to, and no reading of events holds for every file system.
type Changes struct {
	Hints   chan struct{} // capacity 1: one waiting hint stands for all
	Emptied chan struct{} // the same of names in a directory of the caller's own
	own     string        // that directory
	names   func(name string) bool
	dirs    []string // that were to be watched last
	log     *slog.Logger
	// nil while the kernel refuses one; kept, as the kernel takes long to close one
	Watcher *fsnotify.Watcher
	watched map[string]directory // by path
	polling bool                 // the warning was given

	mutex sync.Mutex
	holds func() bool // what the last look saw is all there is to see; nil: nobody knows
}

// directory is what a path leads to. fsnotify knows paths alone: it doesn't tell one directory with
// two paths from two, or one that was replaced from its successor.
type directory struct{ device, inode uint64 }

// NewChanges makes one that watches nothing yet. log hears that inotify is refused. own is a
// directory of which only some names matter: once anything is watched it is, too.
func NewChanges(log *slog.Logger, own string, names func(name string) bool) *Changes {
	return &Changes{Hints: make(chan struct{}, 1), Emptied: make(chan struct{}, 1), log: log, own: filepath.Clean(own),
		names: names}
}

// Empty leaves a hint that the names in the caller's own directory are to be compared.
func (w *Changes) Empty() { hint(w.Emptied) }

// Hint leaves a hint, whatever was seen.
func (w *Changes) Hint() { hint(w.Hints) }

// See takes up what a look has seen, and reports whether that holds. While it does there is no hint. Watch
// first what was looked at.
func (w *Changes) See(holds func() bool) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.holds = holds
	if !holds() {
		return false
	}
	select {
	case <-w.Hints:
	default:
	}
	return true
}

// judge makes a hint of events, unless all is as it was seen.
func (w *Changes) judge() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.holds == nil || !w.holds() {
		w.Hint()
	}
}

// Again watches what is to be watched, some of which may have been replaced. What has changed
// before that is for others to find out.
func (w *Changes) Again() {
	if len(w.dirs) > 0 && w.Sync(w.dirs) {
		w.Hint()
	}
}

// Sync watches just the given directories, and reports whether it added one: that one may have
// changed before. A directory that was replaced, or has moved, gets a new watch. If inotify is
// refused, only the caller's rescan finds changes, and Sync warns once: all containers of a node
// share the 128 instances of a user.
func (w *Changes) Sync(dirs []string) (added bool) {
	if err := w.start(); err != nil {
		w.say(err)
		return false
	}
	w.dirs = dirs
	dirs = append(slices.Clip(dirs), w.own)
	now, err := look(dirs)
	covered := w.keep(now)
	for _, dir := range dirs {
		d, there := now[dir]
		if !there || covered[d] {
			continue
		}
		if e := w.Watcher.Add(dir); e == nil {
			covered[d], added = true, added || dir != w.own
		} else if !files.Missing(dir) {
			err = e
		}
	}
	maps.DeleteFunc(now, func(_ string, d directory) bool { return !covered[d] })
	w.watched = now
	w.say(err)
	return added
}

// eventsAtOnce is more than a swap has, so that one hint stands for all of it.
const eventsAtOnce = 16

func (w *Changes) start() (err error) {
	if w.Watcher != nil {
		return nil
	}
	if w.Watcher, err = fsnotify.NewBufferedWatcher(eventsAtOnce); err == nil {
		go w.follow(w.Watcher)
	}
	return err
}

// look finds out where the paths lead. What isn't there yet, or any more, is left out: when it
// comes, it is added.
func look(dirs []string) (now map[string]directory, err error) {
	now = make(map[string]directory, len(dirs))
	for _, dir := range dirs {
		var st unix.Stat_t
		if e := unix.Stat(dir, &st); e == nil {
			now[dir] = directory{uint64(st.Dev), st.Ino}
		} else if !files.Missing(dir) {
			err = e
		}
	}
	return now, err
}

// keep ends all watches but those whose path leads where it did, and returns the directories of
// these: fsnotify is asked for one path of each. Of a directory that was moved or removed it has
// dropped the path by itself, so that the directory is added again.
func (w *Changes) keep(now map[string]directory) map[directory]bool {
	covered := map[directory]bool{}
	for _, dir := range w.Watcher.WatchList() {
		if d, there := now[dir]; there && d == w.watched[dir] {
			covered[d] = true
		} else {
			_ = w.Watcher.Remove(dir) // EINVAL: the directory is gone
		}
	}
	return covered
}

// follow makes a hint of whatever it is told. The one error that comes is that of a queue which has
// overflowed, so something has happened.
func (w *Changes) follow(watcher *fsnotify.Watcher) {
	for open := true; open; {
		var e fsnotify.Event
		select {
		case e, open = <-watcher.Events:
		case _, open = <-watcher.Errors:
			hint(w.Emptied)
		}
		isHint := w.tells(e)
		for len(watcher.Events) > 0 { // of the same swap
			isHint = w.tells(<-watcher.Events) || isHint
		}
		if isHint {
			w.judge()
		}
	}
}

// tells reports that an event may be about a volume. What confit itself writes all the time to its
// own directory is no hint.
func (w *Changes) tells(e fsnotify.Event) bool {
	isOwn := e.Name == w.own || filepath.Dir(e.Name) == w.own
	if isOwn && (e.Name == w.own || w.names(filepath.Base(e.Name))) {
		w.Empty()
	}
	return !isOwn
}

// hint leaves a hint, unless one waits already.
func hint(hints chan<- struct{}) {
	select {
	case hints <- struct{}{}:
	default:
	}
}

// Watches reports whether a directory is watched.
func (w *Changes) Watches(dir string) bool {
	_, watched := w.watched[dir]
	return watched
}

// End ends all watches. No hint comes after it. Who ends before the kernel has begun to free them
// waits ten milliseconds (fsnotify_destroy_group): so confit sleeps for a moment.
func (w *Changes) End() {
	if w.Watcher != nil {
		w.keep(nil)
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 50_000}, nil)
	}
}

// polledTodo says which limit of the node is used up: inotify_init(2) and inotify_add_watch(2).
func polledTodo(err error) string {
	limit := ""
	switch {
	case errors.Is(err, unix.EMFILE):
		limit = ", and raise fs.inotify.max_user_instances on the node"
	case errors.Is(err, unix.ENOSPC):
		limit = ", and raise fs.inotify.max_user_watches on the node"
	}
	return "nothing is lost: each rescan finds the changes; lower --rescan to see them sooner" + limit
}

func (w *Changes) say(err error) {
	switch {
	case err != nil && !w.polling:
		w.log.Warn("polling instead of inotify", "error", err, "todo", polledTodo(err))
	case err == nil && w.polling:
		w.log.Info("inotify works again")
	}
	w.polling = err != nil
}
