package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// bound is how long a hint may take on a busy machine.
const bound = 30 * time.Second

func start(t *testing.T) *Changes {
	t.Helper()
	w := NewChanges(slog.New(slog.DiscardHandler), "/nothing", nil)
	w.Sync(nil)
	if w.Watcher == nil {
		t.Fatal("inotify is refused")
	}
	t.Cleanup(func() { must(t, w.Watcher.Close()) })
	return w
}

// change writes to a directory, and wants a hint of it.
func change(t *testing.T, w *Changes, dir string) {
	t.Helper()
	select {
	case <-w.Hints: // of what came before
	default:
	}
	must(t, os.WriteFile(filepath.Join(dir, "key"), nil, 0o600))
	wantHint(t, w, "a change in "+dir)
}

func wantHint(t *testing.T, w *Changes, of string) {
	t.Helper()
	select {
	case <-w.Hints:
	case <-time.After(bound):
		t.Fatalf("no hint of %s", of)
	}
}

func wantWatches(t *testing.T, want int) {
	t.Helper()
	if n := watches(t); n != want {
		t.Errorf("the kernel has %d watches, not %d", n, want)
	}
}

// watches counts those that the kernel has in all instances of this process, proc_pid_fdinfo(5).
func watches(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fdinfo/*")
	must(t, err)
	for _, file := range files {
		info, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Glob's own
		}
		must(t, err)
		n += strings.Count(string(info), "inotify wd:")
	}
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func makeDir(t *testing.T, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	must(t, os.Mkdir(dir, 0o700))
	return dir
}

// TestChangesReplaced: what has a directory's name by now is watched, and what had it isn't. It
// counts as added, as it may have changed before.
func TestChangesReplaced(t *testing.T) {
	w, dir := start(t), makeDir(t, t.TempDir(), "dir")
	if !w.Sync([]string{dir}) || w.Sync([]string{dir}) {
		t.Error("a directory is added once")
	}
	change(t, w, dir)
	must(t, os.Rename(dir, dir+".old"))
	must(t, os.Mkdir(dir, 0o700))
	if !w.Sync([]string{dir}) {
		t.Error("what has the name by now isn't added")
	}
	wantWatches(t, 1)
	change(t, w, dir)
}

// TestChangesRelinked: nothing happens to a directory when a link leads elsewhere.
func TestChangesRelinked(t *testing.T) {
	w, top := start(t), t.TempDir()
	old, dir, link := makeDir(t, top, "old"), makeDir(t, top, "new"), filepath.Join(top, "link")
	must(t, os.Symlink(old, link))
	w.Sync([]string{link})
	must(t, os.Remove(link))
	must(t, os.Symlink(dir, link))
	if !w.Sync([]string{link}) || w.Sync([]string{link}) {
		t.Error("where the link leads by now is added once")
	}
	wantWatches(t, 1)
	change(t, w, dir)
}

// TestChangesSilenced: fsnotify ends the watch of a directory that moves. One that has come back is the
// same, and is added again.
func TestChangesSilenced(t *testing.T) {
	w, dir := start(t), makeDir(t, t.TempDir(), "dir")
	w.Sync([]string{dir})
	must(t, os.Rename(dir, dir+".old"))
	wantHint(t, w, "a move")
	must(t, os.Rename(dir+".old", dir))
	if !w.Sync([]string{dir}) {
		t.Error("what has come back isn't added")
	}
	wantWatches(t, 1)
	change(t, w, dir)
}

// TestChangesRemoved: of a directory whose parent is watched, too, fsnotify doesn't tell that it was
// removed. What is made in its place is added at a hint, whatever inode it gets.
func TestChangesRemoved(t *testing.T) {
	w, parent := start(t), t.TempDir()
	dirs := []string{parent, makeDir(t, parent, "dir")}
	for range 20 {
		w.Sync(dirs)
		must(t, os.RemoveAll(dirs[1]))
		makeDir(t, dirs[1])
		for w.Sync(dirs); watches(t) < 2; w.Sync(dirs) {
			wantHint(t, w, "a removal")
		}
	}
}

// TestChangesMissing: a directory that has gone isn't watched, and is added when it comes back.
func TestChangesMissing(t *testing.T) {
	w, dir := start(t), filepath.Join(t.TempDir(), "dir")
	if w.Sync([]string{dir}) || w.polling {
		t.Error("a directory that isn't there is added, or inotify is given up for it")
	}
	must(t, os.Mkdir(dir, 0o700))
	if !w.Sync([]string{dir}) || !w.Watches(dir) {
		t.Error("a directory that came isn't added")
	}
	must(t, os.Rename(dir, dir+".old"))
	if w.Sync([]string{dir}) || w.Watches(dir) {
		t.Error("a directory that went is watched")
	}
	wantWatches(t, 0)
}

// TestChangesUnwatchable: what leads nowhere keeps no other directory from being watched, and is said.
func TestChangesUnwatchable(t *testing.T) {
	w, dir := start(t), t.TempDir()
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	must(t, os.Symlink("gone", nowhere))
	if !w.Sync([]string{nowhere, dir}) || w.Watches(nowhere) || !w.Watches(dir) || !w.polling {
		t.Error("one that can't be watched decides about another")
	}
	change(t, w, dir)
}

// TestChangesTwoPaths: as long as one path of a directory is needed, it has one watch. If that
// was by the other path, it is added by this one.
func TestChangesTwoPaths(t *testing.T) {
	w, dir := start(t), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	for _, tt := range []struct {
		dirs  []string
		added bool
	}{
		{[]string{dir, link}, true},
		{[]string{dir, link}, false},
		{[]string{dir}, false},
		{[]string{link}, true},
		{[]string{dir, link}, false},
		{[]string{dir}, true},
	} {
		if added := w.Sync(tt.dirs); added != tt.added {
			t.Errorf("%q: added is %v", tt.dirs, added)
		}
		for _, path := range []string{dir, link} {
			if want := path == tt.dirs[0] || len(tt.dirs) == 2; w.Watches(path) != want {
				t.Errorf("%q: %q is watched: %v", tt.dirs, path, !want)
			}
		}
		wantWatches(t, 1)
		change(t, w, dir)
	}
	w.End()
	wantWatches(t, 0)
}

// TestChangesHints: an event is a hint, and so is an overflow of the queue, which is told as an error.
func TestChangesHints(t *testing.T) {
	w := NewChanges(slog.New(slog.DiscardHandler), "/nothing", nil)
	told := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
	go w.follow(told)
	told.Errors <- fsnotify.ErrEventOverflow
	wantHint(t, w, "an overflow")
	told.Events <- fsnotify.Event{}
	wantHint(t, w, "an event")
	close(told.Events)
}

// TestChangesOverflow: when more has happened than the kernel's queue holds, the next look finds
// out what, and the watches are still there.
func TestChangesOverflow(t *testing.T) {
	w, dir := NewChanges(slog.New(slog.DiscardHandler), "/nothing", nil), t.TempDir()
	var err error
	w.Watcher, err = fsnotify.NewWatcher() // whom nobody listens to yet
	must(t, err)
	t.Cleanup(func() { must(t, w.Watcher.Close()) })
	w.Sync([]string{dir})
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	must(t, err)
	var queue int
	_, err = fmt.Sscan(string(text), &queue)
	must(t, err)
	for range queue/2 + 4096 { // of each two events; fsnotify takes 4,096 at a time
		must(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
		must(t, os.Remove(filepath.Join(dir, "a")))
	}
	for overflowed := false; !overflowed; {
		select {
		case <-w.Watcher.Events:
		case err = <-w.Watcher.Errors:
			overflowed = true
		case <-time.After(bound):
			t.Fatal("the queue doesn't overflow")
		}
	}
	go w.follow(w.Watcher)
	if !errors.Is(err, fsnotify.ErrEventOverflow) || w.Sync([]string{dir}) {
		t.Errorf("told %v; or the directory has lost its watch", err)
	}
	change(t, w, dir)
}

// TestChangesRefused: without an instance nothing is watched, which is said once, with the limit to
// raise. It is tried again at each look. To a process that may open no more files the kernel answers as
// to a user who has used up the instances.
func TestChangesRefused(t *testing.T) {
	var said bytes.Buffer
	w, dir := NewChanges(slog.New(slog.NewTextHandler(&said, nil)), "/nothing", nil), t.TempDir()
	var own unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &own))
	none := own
	none.Cur = 0
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	added := false
	for range 2 {
		added = w.Sync([]string{dir}) || added
	}
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &own))
	if added || w.Watches(dir) || w.Watcher != nil {
		t.Error("a directory is watched without an instance")
	}
	w.End()
	if got := said.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "polling instead of inotify") || !strings.Contains(got, "max_user_instances") {
		t.Errorf("it said %q", got)
	}
	if !w.Sync([]string{dir}) || !strings.Contains(said.String(), "inotify works again") {
		t.Errorf("with an instance it said %q", said.String())
	}
	t.Cleanup(func() { must(t, w.Watcher.Close()) })
	change(t, w, dir)
}
