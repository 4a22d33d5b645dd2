package linker

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// looks fixes, stages with nothing changed, and counts what was said with these words.
func (h *fixture) looks(words string, want int) {
	h.Helper()
	_ = h.repair()
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		h.Fatalf("staged: %v", err)
	}
	if n := strings.Count(h.said.String(), words); n != want {
		h.Errorf("%q was said %d times, want %d:\n%s", words, n, want, h.said.String())
	}
}

// TestDriftIsRestored: a link that somebody else replaced or removed is made again
// at the next look, which says so once and finds no candidate.
func TestDriftIsRestored(t *testing.T) {
	for found, spoil := range map[string]func(path string) error{
		"nothing":        os.Remove,
		"a regular file": func(p string) error { return errors.Join(os.Remove(p), os.WriteFile(p, []byte("app"), 0o644)) },
		"a symlink":      func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/etc/hostname", p)) },
	} {
		t.Run(found, func(t *testing.T) {
			h := newFixture(t, "web/a a", "web/b b", "web/d d direct")
			h.write("web", "a", "a1", "b", "b1", "d", "d1")
			h.open()
			h.adopt()
			h.looks("restored", 0)
			for n, target := range []string{"a", "d"} {
				h.must(spoil(h.path("etc", target)))
				h.looks(`msg="target restored" target=`, n+1)
				h.looks(`msg="target restored" target=`, n+1)
				h.reads(target, target+"1", "b", "b1")
			}
			if !strings.Contains(h.said.String(), `found="`+found+`"`) && !strings.Contains(h.said.String(), `found=`+found) {
				t.Errorf("it isn't said that %s was found: %s", found, h.said.String())
			}
		})
	}
}

// TestDriftThatCannotBeRestored is said once and tried again at each look.
func TestDriftThatCannotBeRestored(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b")
	h.write("web", "a", "a1", "b", "b1")
	h.open()
	h.adopt()
	h.must(errors.Join(os.Remove(h.path("etc/a")), os.MkdirAll(h.path("etc/a/full"), 0o755), os.Remove(h.path("etc/b"))))
	h.looks(`msg="target not restored"`, 1)
	h.looks(`msg="target not restored"`, 1)
	h.reads("b", "b1")
	h.must(os.RemoveAll(h.path("etc/a")))
	h.looks(`target=`+h.path("etc/a")+` found=nothing`, 1)
	h.reads("a", "a1")
	h.must(errors.Join(os.Remove(h.path("etc/a")), os.MkdirAll(h.path("etc/a/full"), 0o755)))
	h.looks(`msg="target not restored"`, 2)
}

// TestLiveLinkIsRestored, whatever somebody has made of it in a state directory
// that is open to all.
func TestLiveLinkIsRestored(t *testing.T) {
	for name, spoil := range map[string]func(p string) error{
		"removed":      func(string) error { return nil },
		"led away":     func(p string) error { return os.Symlink("/etc", p) },
		"earlier":      func(p string) error { return os.Symlink("generations/99", p) },
		"a file":       func(p string) error { return os.WriteFile(p, nil, 0o644) },
		"a directory":  func(p string) error { return os.Mkdir(p, 0o755) },
		"not empty":    func(p string) error { return os.MkdirAll(p+"/web/a", 0o755) },
		"once more":    func(p string) error { return os.MkdirAll(p+"/web/a", 0o755) },
		"a named pipe": func(p string) error { return unix.Mkfifo(p, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a a")
			h.write("web", "a", "a1")
			h.open()
			h.adopt()
			if name == "once more" {
				h.must(os.MkdirAll(h.path("state", files.ReplacedPrefix+"live", "web/a"), 0o755))
			}
			h.must(errors.Join(os.Remove(h.path("state/live")), spoil(h.path("state/live"))))
			h.looks(`msg="live link restored"`, 1)
			h.looks(`msg="live link restored"`, 1)
			h.reads("a", "a1")
		})
	}
}

// TestLiveLinkThatCannotBeRestored: what is mounted on it can't be moved away.
func TestLiveLinkThatCannotBeRestored(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	live := h.path("state/live")
	h.must(errors.Join(os.Remove(live), os.Mkdir(live, 0o755), unix.Mount("tmpfs", live, "tmpfs", 0, "")))
	defer func() { _ = unix.Unmount(live, unix.MNT_DETACH) }()
	h.looks(`msg="live link not restored"`, 1)
	h.looks(`msg="live link not restored"`, 1)
	h.must(unix.Unmount(live, 0))
	h.looks(`msg="live link restored"`, 1)
	h.reads("a", "a1")
}

// TestAppReplacesItsLink is an app that runs sed -i on its configuration, for
// longer than any count of copies would last: the image's own file is kept for
// ever, of what the app wrote just the newest.
func TestAppReplacesItsLink(t *testing.T) {
	for name, image := range map[string]bool{"over an image's file": true, "over nothing": false} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a a optional", "web/b b")
			h.must(os.MkdirAll(h.path("etc"), 0o755))
			if image {
				h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
			}
			h.write("web", "a", "a0", "b", "b")
			h.open()
			for n := range often(150) {
				h.write("web", "a", fmt.Sprint("a", n), "b", "b")
				h.adopt()
				h.reads("a", fmt.Sprint("a", n))
				h.must(os.WriteFile(h.path("etc/new"), []byte(fmt.Sprint("app", n)), 0o644))
				h.must(os.Rename(h.path("etc/new"), h.path("etc/a")))
			}
			h.write("web", "a", "last", "b", "b")
			kept := absent
			if image { // a confit that starts anew knows by what is kept
				kept = "image"
				h.restart()
			}
			h.adopt()
			h.reads("a", "last", files.KeptPrefix+"a", kept, files.ReplacedPrefix+"a", fmt.Sprint("app", often(150)-1))
			if entries, err := os.ReadDir(h.path("etc")); err != nil || len(entries) > 4 {
				t.Errorf("there is %v (%v)", entries, err)
			}
			if image {
				h.write("web", "b", "b")
				h.adopt()
				h.reads("a", "image", files.ReplacedPrefix+"a", fmt.Sprint("app", often(150)-1), files.KeptPrefix+"a", absent)
			}
		})
	}
}

// TestRepair_returns_memory: a confit whose volumes never change gives back what its looks have left.
func TestRepair_returns_memory(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 * repairsToRest {
		h.looks("restored", 0)
	}
	runtime.ReadMemStats(&after)
	if n := after.NumForcedGC - before.NumForcedGC; n < 2 {
		t.Errorf("memory was returned %d times in %d calls, want 2", n, 2*repairsToRest)
	}
}
