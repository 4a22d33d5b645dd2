package linker

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStatusIsReadWhole: a reader that never pauses finds each time one whole
// status, while a goroutine that isn't the linker's replaces it.
func TestStatusIsReadWhole(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	line := func(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%26)}, 1000+n) }
	l := h.linker
	h.must(l.WriteStatus(line(0)))
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() {
		for n := range 500 {
			if err := l.WriteStatus(line(n)); err != nil {
				t.Error(err)
			}
		}
	})
	ended := make(chan struct{})
	go func() { writer.Wait(); close(ended) }()
	h.adopt() // the linker's own work goes on meanwhile
	for over, n := false, 0; !over; n++ {
		select {
		case <-ended:
			over = true
		default:
		}
		data, err := ReadStatus(h.config.State)
		if err != nil || !bytes.Equal(data, line(max(0, len(data)-1000))) {
			t.Fatalf("reading %d: %d bytes, %v", n, len(data), err)
		}
	}
	h.reads("a", "one")
	h.noLeftovers()
}

// TestStatusForEverybody: whatever the umask, a container of another user may
// read it, and an app of another user may go through the state directory.
func TestStatusForEverybody(t *testing.T) {
	former := unix.Umask(0o077)
	defer unix.Umask(former)
	h := newFixture(t)
	h.config.State = h.path("run/state")
	h.open()
	h.must(h.linker.WriteStatus([]byte("{}\n")))
	for name, want := range map[string]os.FileMode{"run/state/status.json": 0o644, "run/state": os.ModeDir | 0o755, "run": os.ModeDir | 0o755} {
		info, err := os.Stat(h.path(name))
		h.must(err)
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), want)
		}
	}
}

// TestStatusNotWritten: the error names the file, and nothing temporary stays.
func TestStatusNotWritten(t *testing.T) {
	h := newFixture(t)
	h.open()
	name := h.path("state/status.json")
	h.must(errors.Join(os.Mkdir(name, 0o755), unix.Mount("tmpfs", name, "tmpfs", 0, ""))) // else it is moved aside
	defer func() { h.must(unix.Unmount(name, 0)) }()
	want := fmt.Sprintf("cannot write %q: is a directory", name)
	if err := h.linker.WriteStatus(nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	h.noLeftovers()
}

// TestReadStatusRefuses what isn't there or isn't confit's, without waiting for
// it and without following a link.
func TestReadStatusRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(file string) error
		want string // %s is the state directory
	}{
		"nothing":   {func(string) error { return nil }, `cannot read a status in state directory "%s": there is none; confit has not written one yet, or works in another directory: name it with --state`},
		"directory": {func(f string) error { return os.Mkdir(f, 0o755) }, `cannot read "%s/status.json": it is a directory`},
		"FIFO":      {func(f string) error { return unix.Mkfifo(f, 0o644) }, `cannot read "%s/status.json": it is a FIFO`},
		"symlink":   {func(f string) error { return os.Symlink("/etc/hostname", f) }, `cannot read "%s/status.json": it is a symlink`},
		"dangling":  {func(f string) error { return os.Symlink("nowhere", f) }, `cannot read "%s/status.json": it is a symlink`},
		"stranger's": {func(f string) error { return ownedBy(f, 1234) },
			`cannot read "%s/status.json": user 1234 owns it: not root, not you, and not the owner of the generations`},
		"stranger's beside root's generations": {func(f string) error { return withGenerations(f, 0) },
			`cannot read "%s/status.json": user 1234 owns it: not root, not you, and not the owner of the generations`},
		"of the generations' owner": {func(f string) error { return withGenerations(f, 1234) }, ""},
	} {
		dir := t.TempDir()
		if err := tt.make(filepath.Join(dir, "status.json")); err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(tt.want, "%s", dir)
		if data, err := ReadStatus(dir); (err == nil) != (want == "") || (err != nil && err.Error() != want) {
			t.Errorf("%s: got %q, %v, want %s", name, data, err, want)
		}
	}
	if _, err := ReadStatus("/missing"); err == nil || !strings.Contains(err.Error(), `cannot read a status in state directory "/missing": there is none`) {
		t.Errorf("without a state directory: %v", err)
	}
}

func ownedBy(file string, uid int) error {
	if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
		return err
	}
	return os.Chown(file, uid, -1)
}

func withGenerations(file string, uid int) error {
	generations := filepath.Join(filepath.Dir(file), "generations")
	if err := os.Mkdir(generations, 0o755); err != nil {
		return err
	}
	if err := os.Chown(generations, uid, -1); err != nil {
		return err
	}
	return ownedBy(file, 1234)
}

// TestKeys: the sums are those of the accepted generation, as sha256sum prints
// them.
func TestKeys(t *testing.T) {
	h := newFixture(t, "web/ web/", "web/a direct direct")
	h.write("web", "a", "a1", "sub/b", "b1")
	h.open()
	if keys := h.note.Ladder.InForce().Sums; keys != nil {
		t.Errorf("before anything was accepted: %v", keys)
	}
	h.adopt()
	want := map[string]string{"web/a": sum("a1"), "web/sub/b": sum("b1")}
	if got := h.note.Ladder.InForce().Sums.ByKey(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.write("web", "a", "a2")
	h.stage()
	if got := h.note.Ladder.InForce().Sums.ByKey(); !reflect.DeepEqual(got, want) {
		t.Errorf("a candidate that isn't accepted shows: %v", got)
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accepts(true)
	want = map[string]string{"web/a": sum("a2")}
	if got := h.note.Ladder.InForce().Sums.ByKey(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
