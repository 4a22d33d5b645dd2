package safedir_test

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/safedir"
)

// procs are what a container may have at /proc, beside the victim of a false one.
var procs = map[string]func(t *testing.T, victim string){
	"as it is": func(*testing.T, string) {},
	"empty":    func(t *testing.T, _ string) { overProc(t) },
	"false": func(t *testing.T, victim string) {
		overProc(t)
		must(t, os.MkdirAll("/proc/self/fd", 0o755))
		for fd := range 1024 {
			must(t, os.Symlink(victim, fmt.Sprint("/proc/self/fd/", fd)))
		}
	},
}

// overProc mounts an empty directory on /proc, for the test's thread alone.
func overProc(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // for ever: the thread ends with the test
	must(t, unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_FS), unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("tmpfs", "/proc", "tmpfs", 0, ""))
}

// everyWay runs a test with each /proc, and each answer to fchmodat2(2). can says whether one of them lets a mode be set by name.
func everyWay(t *testing.T, f func(t *testing.T, dir string, can bool)) {
	offered := unix.Fchmodat(unix.AT_FDCWD, t.TempDir(), 0o755, unix.AT_SYMLINK_NOFOLLOW) == nil // since Linux 6.6
	for name, mount := range procs {
		for _, errno := range []syscall.Errno{0, unix.ENOSYS, unix.EPERM} {
			t.Run(fmt.Sprint(name, " ", unix.ErrnoName(errno)), func(t *testing.T) {
				dir, victim := t.TempDir(), t.TempDir()
				must(t, os.Chmod(victim, 0o755))
				run := func() {
					mount(t, victim)
					powerless(t)
					f(t, dir, name == "as it is" || errno == 0 && offered)
				}
				if errno == 0 {
					run()
				} else {
					testfs.Refusing(t, errno, unix.SYS_FCHMODAT2, run)
				}
				wantMode(t, victim, fs.ModeDir|0o755)
			})
		}
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	if info.Mode() != want {
		t.Errorf("%s: %v, want %v", path, info.Mode(), want)
	}
}

// TestShut_chmod: the mode of what confit owns and may not open is set, by the descriptor in /proc or by fchmodat2(2). One of them is
// enough. No link is followed.
func TestShut_chmod(t *testing.T) {
	everyWay(t, func(t *testing.T, dir string, can bool) {
		must(t, os.Mkdir(dir+"/dir", 0o755), os.WriteFile(dir+"/file", nil, 0o600), os.WriteFile(dir+"/behind", nil, 0o600),
			unix.Mknod(dir+"/socket", unix.S_IFSOCK, 0), os.Symlink("behind", dir+"/link"), os.Symlink("none", dir+"/dead"))
		d := open(t, dir, false)
		for name, kind := range map[string]fs.FileMode{"dir": fs.ModeDir, "file": 0, "socket": fs.ModeSocket} {
			must(t, os.Chmod(dir+"/"+name, 0))
			want := kind
			err := d.Chmod(name, 0o751)
			if err == nil {
				want |= 0o751
			}
			if (err == nil) != can {
				t.Errorf("%s: error %v", name, err)
			}
			wantMode(t, dir+"/"+name, want)
		}
		for _, link := range []string{"link", "dead"} {
			if err := d.Chmod(link, 0o777); err != unix.EOPNOTSUPP {
				t.Errorf("%s: error %v", link, err)
			}
		}
		wantMode(t, dir+"/behind", 0o600)
		if err := d.Chmod("none", 0o777); err != unix.ENOENT {
			t.Errorf("what isn't there: error %v", err)
		}
	})
}

// TestShut_made: a umask that keeps confit out of its own directories doesn't.
func TestShut_made(t *testing.T) {
	everyWay(t, func(t *testing.T, dir string, can bool) {
		d := open(t, dir, false)
		defer syscall.Umask(syscall.Umask(0o777))
		err := safedir.Made(d.Enter("a/b", true))
		if !can && err == unix.EACCES {
			return
		}
		must(t, err)
		wantMode(t, dir+"/a", fs.ModeDir|0o755)
		wantMode(t, dir+"/a/b", fs.ModeDir|0o755)
	})
}

// TestShut_removed: what is shut to its own user goes, too.
func TestShut_removed(t *testing.T) {
	everyWay(t, func(t *testing.T, dir string, can bool) {
		must(t, os.MkdirAll(dir+"/a/closed/x/y", 0o755), os.Chmod(dir+"/a/closed/x", 0), os.Chmod(dir+"/a/closed", 0))
		d := open(t, dir, false)
		err := d.RemoveAll("a")
		if !can && err == unix.EACCES && !d.Missing("a") {
			must(t, os.Chmod(dir+"/a/closed", 0o755), os.Chmod(dir+"/a/closed/x", 0o755)) // so that it can be removed
			return
		}
		must(t, err)
		if !d.Missing("a") {
			t.Error("it is still there")
		}
	})
}
