package linker

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// watcher turns inotify events into hints. The kind of event doesn't matter:
// the truth is what ..data points at and what the keys hash to, and no reading
// of events holds for every file system.
type watcher struct {
	hints   chan struct{} // capacity 1: one waiting hint stands for all
	log     *slog.Logger
	inotify *fsnotify.Watcher // nil while the kernel refuses one
	dirs    []string
	polling bool // the warning was given
}

func newWatcher(log *slog.Logger) *watcher {
	return &watcher{hints: make(chan struct{}, 1), log: log}
}

// sync watches just the given directories, and reports whether it added one:
// that one may have changed before. A directory that was replaced gets a new
// watch, as inotify_add_watch(2) goes by the inode. If inotify is refused, only
// the caller's rescan finds changes, and sync warns once: all containers of a
// node share the 128 instances of a user.
func (w *watcher) sync(dirs []string) (added bool) {
	err := w.start()
	for _, dir := range dirs {
		if err != nil {
			break
		}
		err = w.inotify.Add(dir)
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

func (w *watcher) start() error {
	if w.inotify != nil {
		return nil
	}
	inotify, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	w.inotify = inotify
	go w.hint(inotify)
	return nil
}

// hint runs as long as the watcher. An error, such as a queue overflow, is a
// hint like any other.
func (w *watcher) hint(inotify *fsnotify.Watcher) {
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
		case w.hints <- struct{}{}:
		default:
		}
	}
}

// forget drops the watches of directories that no link needs any more.
func (w *watcher) forget(dirs []string) {
	w.dirs = slices.DeleteFunc(w.dirs, func(dir string) bool {
		if slices.Contains(dirs, dir) {
			return false
		}
		_ = w.inotify.Remove(dir)
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

func (w *watcher) say(err error) {
	switch {
	case err != nil && !w.polling:
		w.log.Warn("polling instead of inotify", "error", err, "todo", polledTodo(err))
	case err == nil && w.polling:
		w.log.Info("inotify works again")
	}
	w.polling = err != nil
}
