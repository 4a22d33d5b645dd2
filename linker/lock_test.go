package linker

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/statedir"
)

// TestLock: it is a file that nobody but confit's user can open, and keeps the next confit out. What is no such
// file is refused by name, and no link is followed.
func TestLock(t *testing.T) {
	for name, tt := range map[string]struct {
		put   func(path string) error
		words string // of why it is refused; "": it isn't
	}{
		"nothing":        {func(string) error { return nil }, ""},
		"left by confit": {func(p string) error { return os.WriteFile(p, nil, 0o600) }, ""},
		"shut":           {func(p string) error { return os.WriteFile(p, nil, 0) }, ""},
		"for all":        {func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o666)) }, ""},
		"another's":      {func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chown(p, 65534, 65534)) }, "no file of confit's own"},
		"a FIFO":         {func(p string) error { return unix.Mkfifo(p, 0o600) }, "no file of confit's own"},
		"a symlink":      {func(p string) error { return os.Symlink("note.json", p) }, "symbolic links"},
		"a dead link":    {func(p string) error { return os.Symlink("../victim", p) }, "symbolic links"},
		"a directory":    {func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o755) }, ""}, // it is moved aside
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			h.must(os.Mkdir(h.path("state"), 0o755))
			h.must(tt.put(h.path("state/lock")))
			_, _, err := Open(h.checked())
			if !files.Missing(h.path("victim")) || !files.Missing(h.path("state/note.json")) {
				t.Error("a link was followed")
			}
			if tt.words != "" {
				if err == nil || !strings.Contains(err.Error(), tt.words) || !strings.Contains(err.Error(), `remove "lock" in it`) {
					t.Errorf("error %v, want %q", err, tt.words)
				}
				return
			}
			h.must(err)
			info, err := os.Lstat(h.path("state/lock"))
			if err != nil || info.Mode() != 0o600 || testfs.Owner(info) != 0 {
				t.Errorf("the lock is %v (%v)", info, err)
			}
			if _, _, err := Open(h.checked()); err == nil || !strings.Contains(err.Error(), "another confit is using it") {
				t.Errorf("a second linker on the same state: %v", err)
			}
		})
	}
}

// TestLockCannotBeMade: where nothing stands in the lock's place there is nothing to
// remove. The directory is read-only, or full.
func TestLockCannotBeMade(t *testing.T) {
	for reason, set := range map[string]func(dir string) error{
		"read-only file system":   func(dir string) error { return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") },
		"no space left on device": func(dir string) error { return unix.Mount("", dir, "", unix.MS_REMOUNT, "nr_inodes=1") },
	} {
		t.Run(reason, func(t *testing.T) {
			h := newFixture(t, "web/a a")
			ownMounts(t)
			h.must(set(h.mount("tmpfs", "", "state")))
			_, _, err := Open(h.checked())
			if want := statedir.Unusable(h.config.State, errors.New(reason)); err == nil || err.Error() != want.Error() {
				t.Errorf("error %v, want %v", err, want)
			}
		})
	}
}

func TestStateLocked(t *testing.T) {
	h := newFixture(t, "web/a a").open()
	_, _, err := Open(h.checked())
	if err == nil || !strings.Contains(err.Error(), "another confit") {
		t.Errorf("a second linker on the same state: %v", err)
	}
}

// TestLockOfNobody: a user who locks all that he can open keeps no confit from
// starting.
func TestLockOfNobody(t *testing.T) {
	h := newFixture(t)
	h.must(os.Mkdir(h.path("state"), 0o755))
	for dir := h.dir; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		h.must(os.Chmod(dir, 0o755))
	}
	h.nobodyLocks("state")
	h.open()
	h.nobodyLocks("state")
	h.nobodyLocks("state/lock")
	h.nobodyLocks("state/generations")
	h.restart()
}

// nobodyLocks has a process of another user hold a shared lock on a file, if he
// can open it, until the test is over.
func (h *fixture) nobodyLocks(name string) {
	h.Helper()
	if info, err := os.Lstat(h.path(name)); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return
	}
	ready, started, err := os.Pipe()
	h.must(err)
	c := exec.Command("flock", "--shared", h.path(name), "sh", "-c", "echo locked; exec sleep 1000")
	c.Stdout = started
	c.SysProcAttr = asNobody()
	h.must(c.Start())
	h.Cleanup(func() { _ = unix.Kill(-c.Process.Pid, unix.SIGKILL); _ = c.Wait() })
	started.Close()
	defer ready.Close()
	_, _ = ready.Read(make([]byte, 16)) // its end if he can't open it
}

// TestStatusTakesNoLock: whoever asks for the status never keeps a confit from
// starting, nor makes a lock.
func TestStatusTakesNoLock(t *testing.T) {
	h := newFixture(t)
	h.must(os.Mkdir(h.path("state"), 0o755))
	h.must(os.WriteFile(h.path("state/status.json"), []byte("{}"), 0o644))
	if _, err := ReadStatus(h.config.State); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(h.path("state/lock")); err == nil {
		t.Error("there is a lock")
	}
}
