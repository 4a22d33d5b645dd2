package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/lines"
)

// TestCoveredDirectory: a directory that a link covers comes back with its mode,
// owner and group, whatever the umask and whatever layer of overlayfs it is in.
func TestCoveredDirectory(t *testing.T) {
	for name, baked := range map[string]bool{"covered at run time": false, "covered when the image was built": true} {
		t.Run(name, func(t *testing.T) {
			testfs.Everywhere(t, func(t *testing.T, dir string, seal func()) {
				defer syscall.Umask(syscall.Umask(0o077))
				m := newMoment(t, dir)
				m.must(errors.Join(os.Mkdir(m.target, 0o700), os.Chown(m.target, 1234, 2345), os.Chmod(m.target, 0o751|fs.ModeSetgid)))
				wanted := map[lines.Target]Want{lines.Target(m.target): {Dest: Dest(filepath.Join(dir, "state/live/web")), Dir: true}}
				cover := func() {
					p := m.targets.Plan(wanted)
					m.must(p.Err())
					for _, s := range p.steps() {
						m.must(m.targets.do(s))
						m.targets.made[s.Target] = s.Dest
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
				m.must(m.targets.do(s))
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
			if p := m.targets.find(lines.Target(m.target), Dest(m.dest)); p.standing != aFile {
				t.Errorf("a file is taken for %+v", p)
			}
			m.must(unix.Mount(m.dest, m.target, "", unix.MS_BIND, ""))
			defer func() { _ = unix.Unmount(m.target, unix.MNT_DETACH) }()
			if p := m.targets.find(lines.Target(m.target), Dest(m.dest)); p.standing != immovable || p.what != "a mount point" {
				t.Errorf("a mount point is taken for %+v", p)
			}
			m.must(os.Symlink(m.target, filepath.Join(m.dir, "etc/to it")))
			if p := m.targets.find(lines.Target(filepath.Join(m.dir, "etc/to it")), Dest(m.dest)); p.standing != aFile {
				t.Errorf("a symlink to a mount point is taken for %+v", p)
			}
		}
	}
	t.Run("statx", func(t *testing.T) { check(t)() })
	for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) { testfs.Refusing(t, errno, unix.SYS_STATX, check(t)) })
	}
}
