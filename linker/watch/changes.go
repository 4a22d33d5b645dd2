// Package watch turns what inotify tells into hints: that something may have changed in a
// directory, and that somebody has opened a file. Where the kernel refuses inotify there
// are no hints, and that is said once.
//
// It does not know what is in the directories, and finds out nothing by itself: a hint is
// a reason to look.
package watch

import (
	"errors"
	"log/slog"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Changes turns inotify events into hints. The kind of event doesn't matter:
// the truth is what ..data points at and what the keys hash to, and no reading
// of events holds for every file system.
type Changes struct {
	Hints   chan struct{} // capacity 1: one waiting hint stands for all
	log     *slog.Logger
	Inotify *Inotify // nil while the kernel refuses one
	watched []place
	polling bool // the warning was given
}

// place is a directory that is watched. Two paths of one directory have one watch.
type place struct {
	dir   string
	watch int32
}

// NewChanges makes one that watches nothing yet. log hears that inotify is refused.
func NewChanges(log *slog.Logger) *Changes {
	return &Changes{Hints: make(chan struct{}, 1), log: log}
}

// changing are the events of a directory in which something changes, or that goes.
const changing = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

// Sync watches just the given directories, and reports whether it added one:
// that one may have changed before. A directory that was replaced gets a new
// watch. If inotify is refused, only the caller's rescan finds changes, and Sync
// warns once: all containers of a node share the 128 instances of a user.
func (w *Changes) Sync(dirs []string) (added bool) {
	var err error
	if w.Inotify == nil {
		w.Inotify, err = newInotify(w.hint)
	}
	for _, dir := range dirs {
		if err != nil {
			break
		}
		p := place{dir: dir}
		if p.watch, err = w.Inotify.add(dir, changing); err == nil && !slices.Contains(w.watched, p) {
			w.forget(func(former place) bool { return former.dir == dir })
			w.watched = append(w.watched, p)
			added = true
		}
		if files.Missing(dir) {
			err = nil // it isn't there yet, or any more: when it comes, it is added
			w.forget(func(former place) bool { return former.dir == dir })
		}
	}
	w.say(err)
	if err == nil {
		w.forget(func(p place) bool { return !slices.Contains(dirs, p.dir) })
	}
	return added
}

// Watches reports whether a directory is watched.
func (w *Changes) Watches(dir string) bool {
	return slices.ContainsFunc(w.watched, func(p place) bool { return p.dir == dir })
}

// End ends all watches. No hint comes after it.
func (w *Changes) End() {
	w.forget(func(place) bool { return true })
}

// hint makes a hint of events. An overflow of their queue is one, too. That a watch was
// removed is none.
func (w *Changes) hint(events []byte) {
	for len(events) > 0 {
		_, mask, _, rest := next(events)
		if events = rest; mask&unix.IN_IGNORED != 0 {
			continue
		}
		select {
		case w.Hints <- struct{}{}:
		default:
		}
	}
}

// forget drops watches, unless what is left needs them.
func (w *Changes) forget(which func(place) bool) {
	var left, gone []place
	for _, p := range w.watched {
		if which(p) {
			gone = append(gone, p)
		} else {
			left = append(left, p)
		}
	}
	w.watched = left
	for _, p := range gone {
		if !slices.ContainsFunc(left, func(other place) bool { return other.watch == p.watch }) {
			w.Inotify.remove(p.watch)
		}
	}
}

// polledTodo says which limit of the node is used up: inotify_init(2) and
// inotify_add_watch(2).
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
