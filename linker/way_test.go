package linker

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
)

// another is a user that is neither root nor confit's.
const another = 65534

// usurper, who owns a directory with targets, makes an empty directory with every
// bit of its mode in a target's place, and puts links to the victim in the place of
// what confit makes beside it.
func usurper(dir, victim string) {
	target := filepath.Join(dir, "whole")
	made := []string{filepath.Join(dir, files.KeptPrefix+"whole"), filepath.Join(dir, files.ReplacedPrefix+"whole")}
	for {
		for _, path := range append(made, target) {
			_ = unix.Unlink(path)
		}
		_ = unix.Mkdir(target, 0o777)
		_ = unix.Chmod(target, 0o7777)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if strings.HasPrefix(e.Name(), files.TmpPrefix) && unix.Rename(path, filepath.Join(dir, "taken")) == nil {
				_ = unix.Symlink(victim, path)
			}
		}
		for range 3000 {
			for _, path := range made {
				if unix.Rmdir(path) == nil { // it was a directory
					_ = unix.Symlink(victim, path)
				}
			}
		}
	}
}

// owned is a fixture whose targets are in a directory of another user, and a file of
// root's elsewhere that has a target's name.
func owned(t *testing.T, links ...string) *fixture {
	h := newFixture(t, links...)
	h.must(errors.Join(os.Mkdir(h.path("etc"), 0o755), os.Mkdir(h.path("etc/app"), 0o755), os.Mkdir(h.path("victims"), 0o700)))
	h.must(errors.Join(os.Chown(h.path("etc"), another, another), os.Chown(h.path("etc/app"), another, another)))
	h.must(os.WriteFile(h.path("victims/a"), []byte("root's"), 0o600))
	return h
}

// lead puts the user's symlink to root's file in the place of his directory.
func (h *fixture) lead() {
	h.Helper()
	h.must(errors.Join(os.Rename(h.path("etc/app"), h.path("etc/away")), os.Symlink(h.path("victims"), h.path("etc/app")),
		os.Lchown(h.path("etc/app"), another, another)))
}

// TestLedAway: the owner of a target's directory puts a symlink in its place. Nothing
// outside changes, whatever confit does, and the refusal is told by name.
func TestLedAway(t *testing.T) {
	for name, do := range map[string]func(h *fixture) error{
		"fix": func(h *fixture) error { return errors.Join(h.repair(), h.repair()) },
		"publish": func(h *fixture) error {
			h.write("web", "a", "a2", "b", "b2")
			_, err := h.tryStage()
			return err
		},
		"publish what was staged": func(h *fixture) error {
			h.must(errors.Join(os.Remove(h.path("etc/app")), os.Rename(h.path("etc/away"), h.path("etc/app"))))
			h.write("web", "a", "a2", "b", "b2")
			h.stage()
			h.lead()
			return errors.Join(h.linker.Publish(h.candidate.Number, false), h.goBack())
		},
		"go back": func(h *fixture) error {
			h.must(errors.Join(os.Remove(h.path("etc/app")), os.Rename(h.path("etc/away"), h.path("etc/app"))))
			h.write("web", "b", "b2")
			h.stage()
			h.must(h.linker.Publish(h.candidate.Number, false))
			h.lead()
			return h.goBack()
		},
		"touch": func(h *fixture) error {
			_, err := h.linker.Touch(h.inUse(), []Change{{Key: "web/a", Links: []int{0}}})
			return err
		},
		"restart": func(h *fixture) error {
			_, err := h.restart().tryStage()
			return errors.Join(err, h.goBack())
		},
		"bake":    func(h *fixture) error { return Bake(&h.said, h.checked(), false) },
		"install": func(h *fixture) error { return Install(h.path("etc/app/a")) },
	} {
		t.Run(name, func(t *testing.T) {
			h := owned(t, "web/a app/a optional", "web/b app/b")
			h.write("web", "a", "a1", "b", "b1")
			h.open().adopt()
			before := h.tree("victims")
			h.lead()
			err := do(h)
			if err == nil || !strings.Contains(err.Error(), `a symlink of user 65534 in the place of directory "`+h.path("etc/app")+`"`) {
				t.Errorf("error %v", err)
			}
			h.wantTree(before, "victims")
		})
	}
}

// TestLedAwayIsSaidOnce, and the target is restored when the directory is back.
func TestLedAwayIsSaidOnce(t *testing.T) {
	h := owned(t, "web/a app/a")
	h.write("web", "a", "a1")
	h.open().adopt()
	h.lead()
	h.looks(`msg="target not restored"`, 1)
	h.looks(`msg="target not restored"`, 1)
	h.must(errors.Join(os.Remove(h.path("etc/app")), os.Mkdir(h.path("etc/app"), 0o755), os.Chown(h.path("etc/app"), another, another)))
	h.looks(`msg="target restored"`, 1)
	h.reads("app/a", "a1")
}

// TestDirectoryMadeAnew: another directory in the place of a target's directory is
// worked in if nobody gains by that.
func TestDirectoryMadeAnew(t *testing.T) {
	const third = 1234
	for name, tt := range map[string]struct {
		above, was, now int
		mode            fs.FileMode // of the directory above
		taken           bool
	}{
		"by root, where only root may":               {0, 0, third, 0o755, true},
		"by the entrypoint of the app's user":        {another, another, another, 0o755, true},
		"by the app's user, in the place of root's":  {another, 0, another, 0o755, true},
		"by root, in an emptyDir":                    {0, 0, 0, 0o777, true},
		"by the app's user, in an emptyDir":          {0, another, another, 0o777, true},
		"a third user's, in the user's home":         {another, another, third, 0o755, false},
		"a third user's, in an emptyDir":             {0, another, third, 0o777, false},
		"root's, in the place of the user's":         {another, another, 0, 0o755, false},
		"root's, in the place of one in an emptyDir": {0, another, 0, 0o777, false},
		"root's, in a directory for temporary files": {0, another, 0, 0o777 | fs.ModeSticky, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a app/a")
			h.must(errors.Join(os.MkdirAll(h.path("etc/app"), 0o755), os.Chown(h.path("etc/app"), tt.was, tt.was)))
			h.must(errors.Join(os.Chown(h.path("etc"), tt.above, tt.above), os.Chmod(h.path("etc"), tt.mode)))
			h.write("web", "a", "a1")
			h.open().adopt()
			h.must(errors.Join(os.Rename(h.path("etc/app"), h.path("etc/away")), os.Mkdir(h.path("etc/app"), 0o755), os.Chown(h.path("etc/app"), tt.now, tt.now)))
			h.put(h.path("etc/app/a"), "theirs")
			err := h.repair()
			if tt.taken != (err == nil) || !tt.taken && !strings.Contains(err.Error(), "another directory, of user") {
				t.Errorf("taken is %v: %v", err == nil, err)
			}
			h.reads("app/a", map[bool]string{true: "a1", false: "theirs"}[tt.taken])
		})
	}
}

// TestUsurper: at targets in a directory of a user who puts links in the place of
// whatever confit makes, nothing outside changes: no mode, no owner, no byte.
func TestUsurper(t *testing.T) {
	for name, in := range testfs.All {
		if name == "overlayfs" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in(t, func(string, func()) {
				h := owned(t, "web/ whole")
				before := h.tree("victims")
				h.write("web", "a", "a1")
				h.open().adopt()
				h.release("USURPER=" + h.path("etc"))
				for end := time.Now().Add(time.Duration(often(2000)) * time.Millisecond); time.Now().Before(end); {
					_ = h.repair()
					if got := h.tree("victims"); !maps.Equal(got, before) {
						t.Fatalf("the victim is\n%v\nwas\n%v", got, before)
					}
				}
			})
		})
	}
}

// TestUsurperOfAnInstallation: the program is installed, or not, and nothing outside
// changes.
func TestUsurperOfAnInstallation(t *testing.T) {
	h := owned(t)
	before := h.tree("victims")
	h.release("USURPER=" + h.path("etc"))
	for range 20 {
		_ = Install(h.path("etc/confit"))
		h.wantTree(before, "victims")
	}
}

// TestNoSetUserID: what is made like another directory never has its set-user-ID
// bit.
func TestNoSetUserID(t *testing.T) {
	testfs.Refusing(t, unix.ENOSYS, unix.SYS_RENAMEAT2, func() {
		h := newFixture(t, "web/ whole optional")
		defer syscall.Umask(syscall.Umask(0o077))
		h.must(errors.Join(os.MkdirAll(h.path("etc/whole"), 0o755), os.Chmod(h.path("etc"), 0o755), unix.Chmod(h.path("etc/whole"), 0o7751)))
		h.write("web", "a", "a1")
		h.open().adopt()
		info, err := os.Lstat(h.path("etc", files.KeptPrefix+"whole"))
		h.must(err)
		if info.Mode() != fs.ModeDir|fs.ModeSticky|fs.ModeSetgid|0o751 {
			t.Errorf("it was kept as %v", info.Mode())
		}
	})
}
