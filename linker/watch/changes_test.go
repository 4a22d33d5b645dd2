package watch

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// bound is how long a hint may take on a busy machine.
const bound = 30 * time.Second

func start(t *testing.T) *Changes {
	t.Helper()
	w := NewChanges(slog.New(slog.DiscardHandler))
	w.Sync(nil)
	if w.Inotify == nil {
		t.Fatal("inotify is refused")
	}
	t.Cleanup(func() { w.Inotify.File.Close() })
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
	select {
	case <-w.Hints:
	case <-time.After(bound):
		t.Fatalf("no hint of a change in %q", dir)
	}
}

// wantWatches counts the watches that the kernel has, proc_pid_fdinfo(5).
func wantWatches(t *testing.T, w *Changes, want int) {
	t.Helper()
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", w.Inotify.fd))
	must(t, err)
	if n := strings.Count(string(info), "inotify wd:"); n != want {
		t.Errorf("the kernel has %d watches, not %d:\n%s", n, want, info)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestChangesReplaced: what has a directory's name by now is watched, and what had it isn't. It
// counts as added, as it may have changed before.
func TestChangesReplaced(t *testing.T) {
	w, dir := start(t), filepath.Join(t.TempDir(), "dir")
	must(t, os.Mkdir(dir, 0o700))
	if !w.Sync([]string{dir}) || w.Sync([]string{dir}) {
		t.Error("a directory is added once")
	}
	change(t, w, dir)
	must(t, os.Rename(dir, dir+".old"))
	must(t, os.Mkdir(dir, 0o700))
	if !w.Sync([]string{dir}) {
		t.Error("what has the name by now isn't added")
	}
	wantWatches(t, w, 1)
	change(t, w, dir)
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
	wantWatches(t, w, 0)
}

// TestChangesTwoPaths: as long as one path of a directory is needed, its watch stays.
func TestChangesTwoPaths(t *testing.T) {
	w, dir := start(t), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	w.Sync([]string{dir, link})
	wantWatches(t, w, 1)
	w.Sync([]string{link})
	change(t, w, dir)
	w.End()
	wantWatches(t, w, 0)
}

// TestChangesHints: an overflow of the queue is a hint, and the end of a watch none.
func TestChangesHints(t *testing.T) {
	w := NewChanges(slog.New(slog.DiscardHandler))
	for _, tt := range []struct {
		masks []uint32
		want  bool
	}{
		{[]uint32{unix.IN_IGNORED}, false},
		{[]uint32{unix.IN_Q_OVERFLOW}, true},
		{[]uint32{unix.IN_IGNORED, unix.IN_CREATE}, true},
		{[]uint32{unix.IN_CREATE, unix.IN_IGNORED, unix.IN_DELETE}, true},
	} {
		var events []byte
		for _, mask := range tt.masks {
			name := "key\x00\x00\x00\x00\x00"
			for _, word := range []uint32{1, mask, 0, uint32(len(name))} {
				events = binary.NativeEndian.AppendUint32(events, word)
			}
			events = append(events, name...)
		}
		w.hint(events)
		select {
		case <-w.Hints:
			if !tt.want {
				t.Errorf("%#x: a hint", tt.masks)
			}
		default:
			if tt.want {
				t.Errorf("%#x: no hint", tt.masks)
			}
		}
	}
}
