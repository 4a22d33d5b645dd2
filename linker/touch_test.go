package linker

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// publishEdit has b and nothing else change in what is published.
func (h *fixture) publishEdit() Candidate {
	h.Helper()
	h.write("web", "a", "one", "b", "one", "sub/c", "one")
	h.open().adopt()
	h.write("web", "a", "one", "b", "two", "sub/c", "two")
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	return c
}

// TestTouch: who watches the directory of a changed target sees that something
// new has its name; nobody else sees anything.
func TestTouch(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "web/sub/ sub/")
	c := h.publishEdit()
	seen := h.watchDir("etc", "etc/sub")
	watched, err := h.linker.Touch(h.inUse(), c.Changes)
	h.must(err)
	if !watched {
		t.Error("nobody knows who opens what changed")
	}
	if got := seen(); got != "CREATE TMP, MOVED_FROM TMP, MOVED_TO b, CREATE TMP, MOVED_FROM TMP, MOVED_TO c" {
		t.Errorf("a watcher saw %s", got)
	}
	h.reads("a", "one", "b", "two", "sub/c", "two")
	if h.must(read(h.path("etc/b"))); !h.opened(true) {
		t.Error("nobody knows that b was opened")
	}
	h.accept()
	h.noLeftovers()
}

// TestTouchAfterGoBack: what was gone back to is shown, too, and it is known
// who opens that.
func TestTouchAfterGoBack(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "web/sub/ sub/")
	c := h.publishEdit()
	h.must(h.goBack())
	seen := h.watchDir("etc")
	watched, err := h.linker.Touch(h.inUse(), c.Changes)
	h.must(err)
	if got := seen(); !watched || got != "CREATE TMP, MOVED_FROM TMP, MOVED_TO b" {
		t.Errorf("watched: %v; a watcher saw %s", watched, got)
	}
	h.reads("b", "one", "sub/c", "one")
	if !h.opened(true) {
		t.Error("nobody knows that b was opened")
	}
}

// TestTouchNothing: a key that is gone has no target, and the mode of one is
// nothing to show.
func TestTouchNothing(t *testing.T) {
	h := newFixture(t, "web/a a optional", "web/b b")
	h.write("web", "a", "one", "b", "one")
	h.open().adopt()
	h.write("web", "b", "one")
	h.must(os.Chmod(h.path("volumes/web/b"), 0o600))
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	seen := h.watchDir("etc")
	watched, err := h.linker.Touch(h.inUse(), c.Changes)
	h.must(err)
	if got := seen(); watched || got != "" || len(c.Changes) != 2 {
		t.Errorf("watched: %v; a watcher saw %s of %v", watched, got, c.Changes)
	}
}

// TestTouchDirect: the new link of a direct key leads into the volume as the
// old one did.
func TestTouchDirect(t *testing.T) {
	h := newFixture(t, "web/a a direct")
	h.write("web", "a", "one")
	h.open().adopt()
	h.write("web", "a", "two")
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	seen := h.watchDir("etc")
	watched, err := h.linker.Touch(h.inUse(), c.Changes)
	h.must(err)
	if got := seen(); watched || got != "CREATE TMP, MOVED_FROM TMP, MOVED_TO a" {
		t.Errorf("watched: %v; a watcher saw %s", watched, got)
	}
	h.reads("a", "two")
}

// TestTouchRefused: what somebody put in a link's place stays, and so does what
// is on a read-only file system. The error names the target.
func TestTouchRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, h *fixture){
		"replaced": func(_ *testing.T, h *fixture) {
			h.must(os.Remove(h.path("etc/b")))
			h.must(os.WriteFile(h.path("etc/b"), []byte("an app's"), 0o644))
		},
		"removed": func(_ *testing.T, h *fixture) { h.must(os.Remove(h.path("etc/b"))) },
		"read-only": func(t *testing.T, h *fixture) {
			ownMounts(t)
			h.must(unix.Mount(h.path("etc"), h.path("etc"), "", unix.MS_BIND, ""))
			h.Cleanup(func() { _ = unix.Unmount(h.path("etc"), unix.MNT_DETACH) })
			h.must(unix.Mount("", h.path("etc"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a a", "web/b b", "web/sub/ sub/")
			c := h.publishEdit()
			spoil(t, h)
			before := h.tree("etc")
			_, err := h.linker.Touch(h.inUse(), c.Changes)
			if err == nil || !strings.Contains(err.Error(), "cannot touch target "+`"`+h.path("etc/b")+`"`) {
				t.Errorf("error %v", err)
			}
			h.wantTree(before, "etc")
		})
	}
}

// TestTouchKilled: a confit that was killed between the new link and the rename
// leaves the target as it was, and the next one removes what is beside it.
func TestTouchKilled(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "web/sub/ sub/")
	h.publishEdit()
	h.must(os.Symlink(h.path("state/live/web/b"), h.path("etc", files.TmpPrefix+"x")))
	h.reads("b", "two")
	h.close()
	h.open().adopt()
	h.reads("b", "two")
	h.noLeftovers()
}

// watchDir watches directories for what inotify(7) tells of names in them, and
// returns what was seen up to its call. A name that is confit's own is TMP.
func (h *fixture) watchDir(dirs ...string) (seen func() string) {
	h.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	h.must(err)
	h.Cleanup(func() { unix.Close(fd) })
	names := map[uint32]string{unix.IN_CREATE: "CREATE", unix.IN_MOVED_FROM: "MOVED_FROM", unix.IN_MOVED_TO: "MOVED_TO"}
	for _, dir := range dirs {
		_, err := unix.InotifyAddWatch(fd, h.path(dir), unix.IN_CREATE|unix.IN_MOVE|unix.IN_DELETE|unix.IN_MODIFY|unix.IN_ATTRIB)
		h.must(err)
	}
	return func() string {
		var events []string
		var buffer [4096]byte
		n, _ := unix.Read(fd, buffer[:]) // EAGAIN: there are none
		for rest := buffer[:max(n, 0)]; len(rest) > 0; {
			end := unix.SizeofInotifyEvent + binary.NativeEndian.Uint32(rest[12:])
			name := strings.TrimRight(string(rest[unix.SizeofInotifyEvent:end]), "\x00")
			if strings.HasPrefix(name, files.TmpPrefix) {
				name = "TMP"
			}
			events, rest = append(events, names[binary.NativeEndian.Uint32(rest[4:])]+" "+name), rest[end:]
		}
		return strings.Join(events, ", ")
	}
}
