package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/surroundings"
	"confit/linker/files"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// opened is a directory of a test.
func opened(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return dir, root
}

// TestOpenRegular: what is opened is a regular file of that name. Nobody writes to the
// FIFO, so the test ends only if nothing waits for it.
func TestOpenRegular(t *testing.T) {
	dir, root := opened(t)
	must(t, os.WriteFile(dir+"/file", []byte("1"), 0o600), os.Mkdir(dir+"/dir", 0o755), os.Symlink("file", dir+"/link"),
		os.Symlink("/etc/passwd", dir+"/away"), unix.Mkfifo(dir+"/fifo", 0o600), unix.Mknod(dir+"/socket", unix.S_IFSOCK|0o600, 0),
		unix.Mknod(dir+"/device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	for name, want := range map[string]string{
		"file": "", "dir": "it is a directory", "link": "it is a symlink", "away": "it is a symlink", "fifo": "it is a FIFO",
		"socket": "it is a socket", "device": "it is a device", "none": "no such file or directory", "../x": "path escapes from parent",
	} {
		f, info, err := files.OpenRegular(root, name)
		switch {
		case want != "" && (err == nil || files.Cause(err).Error() != want):
			t.Errorf("%s: error %v, want %q", name, err, want)
		case want == "" && (err != nil || info.Size() != 1):
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

// TestOpenRegularMeanwhile: somebody puts a symlink and the file in each other's place. What
// was opened is never what the symlink leads to.
func TestOpenRegularMeanwhile(t *testing.T) {
	dir, root := opened(t)
	must(t, os.WriteFile(dir+"/other", []byte("other's"), 0o600), os.WriteFile(dir+"/a", nil, 0o600), os.Symlink("other", dir+"/b"))
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, dir+"/a", unix.AT_FDCWD, dir+"/b", unix.RENAME_EXCHANGE); err != nil {
				<-stop
				stopped <- err
				return
			}
		}
	}()
	for range 5000 {
		if f, info, err := files.OpenRegular(root, "a"); err == nil {
			if f.Close(); info.Size() > 0 {
				t.Error("the symlink was followed")
				break
			}
		}
	}
	close(stop)
	must(t, <-stopped)
}

// TestNoLinkIsFollowed: the names of [files.OpenAt], [files.Readlink] and [files.AsDir] are
// taken for what they are.
func TestNoLinkIsFollowed(t *testing.T) {
	dir, root := opened(t)
	must(t, os.WriteFile(dir+"/file", []byte("12"), 0o600), os.Symlink("file", dir+"/link"), unix.Mkfifo(dir+"/fifo", 0o600))
	at, err := root.Open(".")
	must(t, err)
	defer at.Close()
	if _, err := files.OpenAt(at, "link", unix.O_RDONLY, 0); err != unix.ELOOP {
		t.Errorf("a symlink: %v", err)
	}
	f, err := files.OpenAt(at, "file", unix.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	buf := make([]byte, 3)
	n, err := f.Read(buf)
	_, end := f.Read(buf)
	if n != 2 || err != nil || end == nil || f.Rewind() != nil {
		t.Errorf("read %d bytes (%v), then %v", n, err, end)
	}
	if to, err := files.Readlink(root, "link"); to != "file" || err != nil {
		t.Errorf("the symlink leads to %q (%v)", to, err)
	}
	if _, err := os.Open(files.AsDir(dir + "/fifo")); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a FIFO in a directory's place: %v", err)
	}
}

// TestModes: no mode depends on the umask, and none is set by fchmodat2(2).
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o777} {
		dir, root := opened(t)
		must(t, os.WriteFile(dir+"/file", nil, 0o600))
		var err error
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			surroundings.Refusing(t, unix.EPERM, unix.SYS_FCHMODAT2, func() {
				err = errors.Join(files.MakeDir(root, "one"), files.MakeDirs(root, "a/b/c"), files.MakeDirs(root, "a/b/d"), files.MakeDirs(root, "."),
					files.Chmod(root, "file", 0o644), files.MakeDir(root, "own"), files.Chmod(root, "own", 0o700))
				err = errors.Join(err, files.Chmod(root, ".", 0o711))
			})
		}()
		must(t, err)
		for name, want := range map[string]fs.FileMode{
			".": fs.ModeDir | 0o711, "one": fs.ModeDir | files.DirMode, "a": fs.ModeDir | files.DirMode, "a/b": fs.ModeDir | files.DirMode,
			"a/b/c": fs.ModeDir | files.DirMode, "a/b/d": fs.ModeDir | files.DirMode, "own": fs.ModeDir | 0o700, "file": 0o644,
		} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
				t.Errorf("umask %03o, %s: %v, want %v (%v)", umask, name, info.Mode(), want, err)
			}
		}
	}
}

// TestTrusted: only what confit's user or root owns, and nobody else may write to, is
// confit's own.
func TestTrusted(t *testing.T) {
	for name, tt := range map[string]struct {
		owner int
		mode  fs.FileMode
		words string
	}{
		"for confit alone": {0, 0o600, ""}, "readable": {0, 0o644, ""}, "for its group": {0, 0o660, "others may write to it"},
		"for all": {0, 0o602, "others may write to it"}, "another's": {1234, 0o600, "user 1234 owns it"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, nil, 0o600), os.Chown(path, tt.owner, 2345), os.Chmod(path, tt.mode))
		info, err := os.Lstat(path)
		must(t, err)
		if err := files.CheckTrusted(info); (err == nil) != (tt.words == "") || err != nil && err.Error() != tt.words {
			t.Errorf("%s: %v, want %q", name, err, tt.words)
		}
		if files.Owner(info) != uint32(tt.owner) || files.Group(info) != 2345 || files.Ours(info) != (tt.owner == 0) {
			t.Errorf("%s: owner %d, group %d", name, files.Owner(info), files.Group(info))
		}
	}
}

// TestGive: a copy gets group, owner and mode of its source. What the kernel refuses but for
// the mode is left out.
func TestGive(t *testing.T) {
	for name, tt := range map[string]struct {
		refused uint32 // a system call
		owner   uint32
		good    bool
	}{
		"as root":                 {unix.SYS_FCHMODAT2, 1234, true},
		"where none can be given": {unix.SYS_FCHOWN, 0, true},
		"where no mode can be":    {unix.SYS_FCHMOD, 0, false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		surroundings.Refusing(t, unix.EPERM, tt.refused, func() {
			f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			if err := files.Give(int(f.Fd()), 0o440, 1234, 2345); (err == nil) != tt.good {
				t.Errorf("%s: %v", name, err)
			}
		})
		info, err := os.Lstat(path)
		must(t, err)
		if tt.good && (info.Mode() != 0o440 || files.Owner(info) != tt.owner) {
			t.Errorf("%s: %v of %d", name, info.Mode(), files.Owner(info))
		}
	}
}

// TestRemoveAll: what can't be removed at once is, if confit may open it.
func TestRemoveAll(t *testing.T) {
	dir, root := opened(t)
	must(t, os.MkdirAll(dir+"/a/"+strings.Repeat("b/", 50), 0o755), os.Mkdir(dir+"/a/closed", 0), os.Symlink("..", dir+"/a/link"))
	files.RemoveAll(root, "a")
	if names, err := files.ReadNames(root); err != nil || len(names) > 0 || !files.Missing(dir+"/a") || files.Missing(dir) {
		t.Errorf("left: %q (%v)", names, err)
	}
}
