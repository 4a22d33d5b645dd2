package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/internal/surroundings"
	"confit/linker/files"
)

// TestAppReplacesItsLink is an app that runs sed -i on its configuration, for
// longer than any count of copies would last: the image's own file is kept for
// ever, of what the app wrote just the newest.
func TestAppReplacesItsLink(t *testing.T) {
	for name, image := range map[string]bool{"over an image's file": true, "over nothing": false} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "web/a a optional", "web/b b")
			h.must(os.MkdirAll(h.path("etc"), 0o755))
			if image {
				h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
			}
			h.write("web", "a", "a0", "b", "b")
			h.open()
			for n := range 150 {
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
			h.reads("a", "last", files.KeptPrefix+"a", kept, files.ReplacedPrefix+"a", "app149")
			if entries, err := os.ReadDir(h.path("etc")); err != nil || len(entries) > 4 {
				t.Errorf("there is %v (%v)", entries, err)
			}
			if image {
				h.write("web", "b", "b")
				h.adopt()
				h.reads("a", "image", files.ReplacedPrefix+"a", "app149", files.KeptPrefix+"a", absent)
			}
		})
	}
}

// TestCoveredDirectory: a directory that a link covers comes back with its mode,
// owner and group, whatever the umask and whatever layer of overlayfs it is in.
func TestCoveredDirectory(t *testing.T) {
	for name, baked := range map[string]bool{"covered at run time": false, "covered when the image was built": true} {
		t.Run(name, func(t *testing.T) {
			surroundings.Everywhere(t, func(t *testing.T, dir string, seal func()) {
				defer syscall.Umask(syscall.Umask(0o077))
				m := newMoment(t, dir)
				m.must(errors.Join(os.Mkdir(m.target, 0o700), os.Chown(m.target, 1234, 2345), os.Chmod(m.target, 0o751|fs.ModeSetgid)))
				wanted := map[Target]want{Target(m.target): {dest: destination(filepath.Join(dir, "state/live/web")), dir: true}}
				cover := func() {
					steps, err := m.linker.targets.plan(wanted)
					m.must(err)
					for _, s := range steps {
						m.must(m.linker.targets.do(s))
						m.linker.targets.made[s.target] = s.dest
					}
					m.holds(files.KeptPrefix+"a", "(directory)", "a", "(directory)")
				}
				if baked {
					cover()
				}
				seal()
				if !baked {
					cover()
				}
				s := m.plan(false, uncover)
				m.must(m.linker.targets.do(s))
				m.holds("a", "(directory)")
				info, err := os.Lstat(m.target)
				m.must(err)
				st := info.Sys().(*syscall.Stat_t)
				if info.Mode() != fs.ModeDir|fs.ModeSetgid|0o751 || st.Uid != 1234 || st.Gid != 2345 {
					t.Errorf("it came back as %v of %d:%d", info.Mode(), st.Uid, st.Gid)
				}
			})
		})
	}
}

// TestMountPointIsRefused, also where statx(2) isn't known or permitted, and
// nothing else is taken for one.
func TestMountPointIsRefused(t *testing.T) {
	check := func(t *testing.T) func() {
		return func() {
			m := newMoment(t, t.TempDir())
			m.target = filepath.Join(m.dir, "etc", "with space\tand tab")
			m.put(m.target, "image")
			if p := m.linker.targets.find(Target(m.target), destination(m.dest)); p.standing != aFile {
				t.Errorf("a file is taken for %+v", p)
			}
			m.must(unix.Mount(m.dest, m.target, "", unix.MS_BIND, ""))
			defer func() { _ = unix.Unmount(m.target, unix.MNT_DETACH) }()
			if p := m.linker.targets.find(Target(m.target), destination(m.dest)); p.standing != immovable || p.what != "a mount point" {
				t.Errorf("a mount point is taken for %+v", p)
			}
		}
	}
	t.Run("statx", func(t *testing.T) { check(t)() })
	for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) { surroundings.Refusing(t, errno, unix.SYS_STATX, check(t)) })
	}
}
