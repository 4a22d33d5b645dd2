package linker

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// TestStatusIsReadWhole: a reader that never pauses finds each time one whole
// status, while a goroutine that isn't the linker's replaces it.
func TestStatusIsReadWhole(t *testing.T) {
	h := newHouse(t, "web/a a")
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
	h := newHouse(t)
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

// TestStateIsAFile: it is refused, and stays as it is.
func TestStateIsAFile(t *testing.T) {
	h := newHouse(t)
	h.must(os.WriteFile(h.config.State, []byte("mine"), 0o644))
	h.must(os.Chmod(h.config.State, 0o666))
	if _, err := Open(h.config); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(h.config.State); err != nil || info.Mode() != 0o666 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// TestStatusNotWritten: the error names the file, and nothing temporary stays.
func TestStatusNotWritten(t *testing.T) {
	h := newHouse(t)
	h.open()
	h.must(os.Mkdir(h.path("state/status.json"), 0o755))
	want := fmt.Sprintf("cannot write %q: file exists", h.path("state/status.json"))
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
			`cannot read "%s/status.json": user 1234 owns it, who isn't root, nor you, nor the owner of the generations`},
		"stranger's beside root's generations": {func(f string) error { return withGenerations(f, 0) },
			`cannot read "%s/status.json": user 1234 owns it, who isn't root, nor you, nor the owner of the generations`},
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

// TestVolumes: what each volume is said to be, as it comes and goes.
func TestVolumes(t *testing.T) {
	h := newHouse(t, "web/a a", "web/b b optional", "plain/x x optional", "late/y y optional")
	h.write("web", "a", "one")
	h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
	h.open()
	if list := h.linker.Volumes(); list != nil {
		t.Errorf("before the first look: %+v", list)
	}
	h.adopt()
	report := func(name, kind, watched string) VolumeReport {
		data, _ := os.Readlink(h.path("volumes", name, "..data"))
		return VolumeReport{Path: h.path("volumes", name), Kind: kind, Watched: watched, Mounted: data}
	}
	h.wantVolumes(report("web", "atomic", "inotify"), report("plain", "plain", "inotify"), report("late", "missing", "polling"))

	h.write("web", "a", "two")
	h.write("late", "y", "one")
	h.adopt()
	h.wantVolumes(report("web", "atomic", "inotify"), report("plain", "plain", "inotify"), report("late", "atomic", "inotify"))
	if h.linker.Volumes()[0].Mounted == "" {
		t.Error("nothing is said to be behind ..data")
	}

	h.must(os.RemoveAll(h.path("volumes/late")))
	h.must(os.Remove(h.path("volumes/web/..data")))
	_, _ = h.linker.Stage() // refused: both are torn
	h.wantVolumes(report("web", "missing", "inotify"), report("plain", "plain", "inotify"), report("late", "missing", "polling"))
}

// TestVolumesWithoutInotify: all are polled, and that is said of each.
func TestVolumesWithoutInotify(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.write("web", "a", "one")
	h.open()
	refused, err := fsnotify.NewWatcher()
	h.must(err)
	h.must(refused.Close()) // it watches nothing any more, and says so
	h.linker.watch.inotify = refused
	h.stage()
	if list := h.linker.Volumes(); len(list) != 1 || list[0].Watched != "polling" {
		t.Errorf("got %+v", list)
	}
}

func (h *house) wantVolumes(want ...VolumeReport) {
	h.Helper()
	if got := h.linker.Volumes(); !reflect.DeepEqual(got, want) {
		h.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// TestKeys: the sums are those of the accepted generation, as sha256sum prints
// them.
func TestKeys(t *testing.T) {
	h := newHouse(t, "web/ web/", "web/a direct direct")
	h.write("web", "a", "a1", "sub/b", "b1")
	h.open()
	if keys := h.linker.Keys(); len(keys) != 0 {
		t.Errorf("before anything was accepted: %v", keys)
	}
	h.adopt()
	want := map[string]string{"web/a": sum("a1"), "web/sub/b": sum("b1")}
	if got := h.linker.Keys(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.write("web", "a", "a2")
	h.stage()
	if got := h.linker.Keys(); !reflect.DeepEqual(got, want) {
		t.Errorf("a candidate that isn't accepted shows: %v", got)
	}
	h.must(h.linker.Publish())
	h.linker.Accept(true)
	want = map[string]string{"web/a": sum("a2")}
	if got := h.linker.Keys(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// TestStateDirectoryIsAFIFO: nobody waits for its writer.
func TestStateDirectoryIsAFIFO(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.must(unix.Mkfifo(h.config.State, 0o666))
	if _, err := ReadStatus(h.config.State); err == nil {
		t.Error("a status was read")
	}
	if _, err := Open(h.config); err == nil {
		t.Error("it was opened")
	}
}
