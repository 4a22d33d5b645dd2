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

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Changes turns inotify events into hints. The kind of event doesn't matter:
// the truth is what ..data points at and what the keys hash to, and no reading
// of events holds for every file system.
type Changes struct {
	Hints   chan struct{} // capacity 1: one waiting hint stands for all
	log     *slog.Logger
	Inotify *fsnotify.Watcher // nil while the kernel refuses one
	dirs    []string
	polling bool // the warning was given
}

// NewChanges makes one that watches nothing yet. log hears that inotify is refused.
func NewChanges(log *slog.Logger) *Changes {
	return &Changes{Hints: make(chan struct{}, 1), log: log}
}

// Sync watches just the given directories, and reports whether it added one:
// that one may have changed before. A directory that was replaced gets a new
// watch, as inotify_add_watch(2) goes by the inode. If inotify is refused, only
// the caller's rescan finds changes, and Sync warns once: all containers of a
// node share the 128 instances of a user.
func (w *Changes) Sync(dirs []string) (added bool) {
	err := w.start()
	for _, dir := range dirs {
		if err != nil {
			break
		}
		err = w.Inotify.Add(dir)
		if err == nil && !slices.Contains(w.dirs, dir) {
			w.dirs = append(w.dirs, dir)
			added = true
		}
		if files.Missing(dir) {
			err = nil // it isn't there yet, or any more: when it comes, it is added
			w.dirs = slices.DeleteFunc(w.dirs, func(d string) bool { return d == dir })
		}
	}
	w.say(err)
	if err == nil {
		w.forget(dirs)
	}
	return added
}

// Watches reports whether a directory is watched.
func (w *Changes) Watches(dir string) bool { return slices.Contains(w.dirs, dir) }

// End ends all watches. No hint comes after it.
func (w *Changes) End() {
	if w.Inotify == nil {
		return
	}
	for _, dir := range w.Inotify.WatchList() {
		_ = w.Inotify.Remove(dir)
	}
}

func (w *Changes) start() error {
	if w.Inotify != nil {
		return nil
	}
	inotify, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	w.Inotify = inotify
	go w.hint(inotify)
	return nil
}

// hint runs as long as the watcher. An error, such as a queue overflow, is a
// hint like any other.
func (w *Changes) hint(inotify *fsnotify.Watcher) {
	for {
		select {
		case _, ok := <-inotify.Events:
			if !ok {
				return
			}
		case _, ok := <-inotify.Errors:
			if !ok {
				return
			}
		}
		select {
		case w.Hints <- struct{}{}:
		default:
		}
	}
}

// forget drops the watches of directories that no link needs any more.
func (w *Changes) forget(dirs []string) {
	w.dirs = slices.DeleteFunc(w.dirs, func(dir string) bool {
		if slices.Contains(dirs, dir) {
			return false
		}
		_ = w.Inotify.Remove(dir)
		return true
	})
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
