package linker

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// emptied are ways to take the names away that confit works in.
var emptied = map[string]func(h *fixture) error{
	"all of it":              func(h *fixture) error { return emptyDir(h.path("state")) },
	"the directory itself":   func(h *fixture) error { return os.RemoveAll(h.path("state")) },
	"the directory, renamed": func(h *fixture) error { return os.Rename(h.path("state"), h.path("elsewhere")) },
	"generations":            takeAway("generations"),
	"generations, renamed":   func(h *fixture) error { return os.Rename(h.path("state/generations"), h.path("state/mine")) },
	"generations, replaced": func(h *fixture) error {
		return errors.Join(os.Rename(h.path("state/generations"), h.path("state/mine")), os.MkdirAll(h.path("state/generations/1/web"), 0o777), os.Chmod(h.path("state/generations"), 0o777))
	},
	"generations, a link":    replace("generations", func(p string) error { return os.Symlink("/etc", p) }),
	"generations, a file":    replace("generations", func(p string) error { return os.WriteFile(p, nil, 0o644) }),
	"generations, another":   replace("generations", func(p string) error { return os.Mkdir(p, 0o755) }),
	"generations, somebody":  replace("generations", func(p string) error { return errors.Join(os.MkdirAll(p+"/1", 0o755), os.Chown(p, 1234, 1234)) }),
	"lock":                   takeAway("lock"),
	"lock, a link":           replace("lock", func(p string) error { return os.Symlink("/etc/passwd", p) }),
	"lock, a directory":      replace("lock", func(p string) error { return os.MkdirAll(p+"/x", 0o755) }),
	"lock, another":          replace("lock", func(p string) error { return os.WriteFile(p, nil, 0o600) }),
	"small: note":            takeAway("note.json"),
	"small: note, another":   replace("note.json", func(p string) error { return os.WriteFile(p, []byte("strange"), 0o644) }),
	"small: targets":         takeAway("targets.json"),
	"small: targets, a link": replace("targets.json", func(p string) error { return os.Symlink("/etc/passwd", p) }),
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(dir+"/"+e.Name()))
	}
	return err
}

// TestEmptied: whatever somebody did to the names that confit works in, one call puts all of it right and says so, the app has what is
// accepted, no second confit gets the directory, the next edit is taken, and so is a restart.
func TestEmptied(t *testing.T) {
	for name, do := range emptied {
		t.Run(name, func(t *testing.T) {
			h := newStored(t, "web/ web/")
			want := h.tree("state/generations/1")
			h.must(do(h))
			anew, err := h.linker.Repair(1)
			if h.must(err); !anew {
				t.Error("nothing was made anew")
			}
			h.saidTimes("state directory made anew", 1)
			h.wantTree(want, "state/generations/1")
			h.reads("web/a", "a1")
			if _, _, err := Open(h.checked()); err == nil || !strings.Contains(err.Error(), "another confit") {
				t.Errorf("a second confit: %v", err)
			}
			if anew, err := h.linker.Repair(1); anew || err != nil {
				t.Errorf("the next call: %v, %v", anew, err)
			}
			for _, file := range []string{"note.json", "targets.json"} {
				if _, err := os.Stat(h.path("state", file)); err != nil {
					t.Error(err)
				}
			}
			h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
			h.adopt()
			h.reads("web/a", "a2")
			h.must(h.linker.WriteNote(h.note))
			h.restart().wantAccepted(2)
		})
	}
}

// TestEmptied_at_an_edit: a look that comes first makes the names anew, too, and the edit is taken.
func TestEmptied_at_an_edit(t *testing.T) {
	for name, do := range emptied {
		t.Run(name, func(t *testing.T) {
			h := newStored(t, "web/ web/")
			h.must(do(h))
			h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
			h.adopt()
			h.reads("web/a", "a2")
		})
	}
}

// TestEmptied_candidate: a candidate that was there before isn't published, whether or not hooks were run on it, and another look stages
// it again.
func TestEmptied_candidate(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		h := newStored(t, "web/ web/")
		h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
		c := h.stage()
		h.must(h.linker.Has(c.Number))
		h.must(emptyDir(h.path("state")))
		if err := h.linker.Has(c.Number); !errors.Is(err, ErrEmptied) {
			t.Errorf("a hook is given it: %v", err)
		}
		if err := h.linker.Publish(h.candidate.Number, hooked); !errors.Is(err, ErrEmptied) {
			t.Errorf("published: %v", err)
		}
		h.seen = ""
		h.adopt()
		h.reads("web/a", "a2")
	}
}

// TestEmptied_hint: it is seen at once. What confit itself writes there is no hint.
func TestEmptied_hint(t *testing.T) {
	h := newStored(t, "web/ web/")
	for name := range emptied {
		if strings.HasPrefix(name, "lock") || strings.HasPrefix(name, "small") { // the next look finds it
			continue
		}
		t.Run(name, func(t *testing.T) {
			h.must(h.repair())
			isHint := func() bool {
				h.must(h.linker.WriteStatus([]byte("{}")))
				h.must(h.linker.WriteNote(h.note))
				return drained(h.linker.Hints(), 100*time.Millisecond) || drained(h.linker.Emptied(), 100*time.Millisecond)
			}
			for tries := 10; isHint(); tries-- { // at first of what came before
				if tries == 0 {
					t.Fatal("what confit writes is a hint")
				}
				h.must(h.repair())
			}
			h.must(emptied[name](h))
			if !drained(h.linker.Emptied(), bound) {
				t.Error("no hint")
			}
		})
	}
}

// drained takes a hint, and reports whether there was one in time.
func drained(hints <-chan struct{}, within time.Duration) bool {
	select {
	case <-hints:
		return true
	case <-time.After(within):
		return false
	}
}

// TestEmptied_status: another goroutine writes the status meanwhile, to the one directory or the other, and in the end to the new one.
func TestEmptied_status(t *testing.T) {
	h := newStored(t, "web/ web/")
	stop, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		for {
			select {
			case <-stop:
				return
			default:
				_ = h.linker.WriteStatus([]byte("{}"))
			}
		}
	}()
	for range 20 {
		h.must(os.RemoveAll(h.path("gone")))
		h.must(os.Rename(h.path("state"), h.path("gone")))
		h.must(h.repair())
	}
	close(stop)
	<-written
	h.must(h.linker.WriteStatus([]byte("{}")))
	if _, err := ReadStatus(h.path("state")); err != nil {
		t.Error(err)
	}
	h.reads("web/a", "a1")
}

// TestEmptied_mounted: what is mounted over the generations can't be moved. That is said, and it is over when the mount is.
func TestEmptied_mounted(t *testing.T) {
	h := newStored(t, "web/ web/")
	at := h.path("state/generations")
	h.must(unix.Mount("tmpfs", at, "tmpfs", 0, "mode=777"))
	defer func() { _ = unix.Unmount(at, unix.MNT_DETACH) }()
	failsToRepair := func() {
		if err := h.repair(); err == nil || !strings.Contains(err.Error(), "cannot trust") {
			t.Errorf("error %v", err)
		}
	}
	failsToRepair()
	for tries := 10; drained(h.linker.Emptied(), 100*time.Millisecond); tries-- { // at first of what came before
		if tries == 0 {
			t.Fatal("it is tried again at once")
		}
		failsToRepair()
	}
	failsToRepair()
	h.saidTimes("state directory not restored", 1)
	h.saidTimes("state directory made anew", 0)
	h.must(unix.Unmount(at, 0))
	h.must(h.repair())
	h.reads("web/a", "a1")
}

// TestEmptied_owned: another mode or owner of the small files is none of it, as an entrypoint changes those of all that is there.
func TestEmptied_owned(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.must(errors.Join(chmod("note.json", 0o600)(h), chown("note.json")(h), chown("targets.json")(h)))
	if anew, err := h.linker.Repair(1); anew || err != nil {
		t.Errorf("made anew %v, %v", anew, err)
	}
}

// TestEmptied_live: an app that has ended may have missed the live link.
func TestEmptied_live(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.must(takeAway("live")(h))
	if anew, err := h.linker.Repair(1); !anew || err != nil {
		t.Errorf("made anew %v, %v", anew, err)
	}
	h.reads("web/a", "a1")
}

// TestEmptied_shown: where all of a published candidate is gone no hook is blamed. Where a key is, one is.
func TestEmptied_shown(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.must(takeAway("generations")(h))
	h.must(h.linker.CheckShown(1))
	h.reads("web/a", "a1")
	h.must(takeAway("generations/1")(h))
	h.must(h.linker.CheckShown(1))
	h.reads("web/a", "a1")
	h.must(takeAway("generations/1/web/a")(h))
	if err := h.linker.CheckShown(1); !IsInvalid(err) {
		t.Errorf("error %v", err)
	}
}

// TestEmptied_note: what can't be staged again is no longer noted, and what the app is on comes back, also where it is noted before that.
func TestEmptied_note(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.edit("two", false)
	h.must(h.linker.WriteNote(h.note))
	h.wantNoted(2, 1)
	h.must(emptyDir(h.path("state")))
	h.seen = ""
	_, err := h.tryStage() // which makes the names anew
	h.must(errors.Join(err, h.linker.WriteNote(h.note)))
	h.wantNoted()
	h.must(h.repair())
	h.wantNoted(2)
	h.restart().wantAccepted(2)
}

// wantNoted holds which generations note.json names.
func (h *fixture) wantNoted(want ...int) {
	h.Helper()
	data, err := os.ReadFile(h.path("state/note.json"))
	var note struct{ Ladder []struct{ Number int } }
	h.must(errors.Join(err, json.Unmarshal(data, &note)))
	var got []int
	for _, r := range note.Ladder {
		got = append(got, r.Number)
	}
	if !slices.Equal(got, want) {
		h.Errorf("noted are %v, want %v", got, want)
	}
}

// TestEmptied_moved_on: where something else is mounted the generation is lost, and that is an error until an edit is taken.
func TestEmptied_moved_on(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.write("web", "a", "a2", "sub/b", "b1", "c.conf", "c1")
	h.must(emptyDir(h.path("state")))
	if _, is := errors.AsType[*Damaged](h.repair()); !is {
		t.Error("it isn't damaged")
	}
	h.adopt()
	h.must(h.repair())
	h.reads("web/a", "a2")
}
