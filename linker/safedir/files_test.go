package safedir_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/safedir"
)

// TestOpenRegular: what is opened is a regular file of that name. Nobody writes to the
// FIFO, so the test ends only if nothing waits for it.
func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("1"), 0o600), os.Mkdir(dir+"/dir", 0o755), os.Symlink("file", dir+"/link"),
		os.Symlink("/etc/passwd", dir+"/away"), unix.Mkfifo(dir+"/fifo", 0o600), unix.Mknod(dir+"/socket", unix.S_IFSOCK|0o600, 0),
		unix.Mknod(dir+"/device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	d := open(t, dir, false)
	for name, want := range map[string]string{
		"file": "", "dir": "it is a directory", "link": "it is a symlink", "away": "it is a symlink", "fifo": "it is a FIFO",
		"socket": "it is a socket", "device": "it is a device", "none": "no such file or directory",
	} {
		f, st, err := d.OpenRegular(name)
		switch {
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: error %v, want %q", name, err, want)
		case want == "" && (err != nil || st.Size != 1):
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			must(t, f.Close())
		}
	}
}

// meanwhile exchanges two files until the test has done something.
func meanwhile(t *testing.T, a, b string, do func()) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for err := error(nil); ; {
			select {
			case <-stop:
				stopped <- err
				return
			default:
				err = errors.Join(err, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
			}
		}
	}()
	do()
	close(stop)
	must(t, <-stopped)
}

// TestMeanwhile: somebody puts a symlink in the place of a file, and of a directory on the way. What is opened,
// made and removed is never behind it.
func TestMeanwhile(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/victim", 0o755), os.WriteFile(dir+"/victim/x", []byte("victim's"), 0o600), os.MkdirAll(dir+"/a/sub", 0o755),
		os.WriteFile(dir+"/a/sub/x", nil, 0o600), os.Symlink("../victim", dir+"/a/link"), os.WriteFile(dir+"/a/x", nil, 0o600), os.Symlink("../victim/x", dir+"/a/y"))
	before := held(t, dir+"/victim")
	d := open(t, dir, false)
	read := func(in *safedir.Dir, name string) error {
		f, st, err := in.OpenRegular(name)
		if err == nil {
			f.Close()
			if st.Size > 0 {
				t.Error("a symlink was followed")
			}
		}
		return err
	}
	meanwhile(t, dir+"/a/x", dir+"/a/y", func() {
		for range 2000 {
			_ = d.In("a/x", false, read)
		}
	})
	meanwhile(t, dir+"/a/sub", dir+"/a/link", func() {
		for range 2000 {
			_ = d.In("a/sub/x", true, read)
			_ = d.In("a/sub/new/deep", true, func(in *safedir.Dir, name string) error { return in.Put(name, safedir.Bytes([]byte("1"), 0o644)) })
			_ = d.In("a/sub/new", false, (*safedir.Dir).RemoveAll)
		}
	})
	if got := held(t, dir+"/victim"); !maps.Equal(got, before) {
		t.Errorf("behind the symlink there is %v, was %v", got, before)
	}
}

// TestPut: a file is replaced as a whole, by a new one: who has the old one open keeps that. Of what fails nothing
// is left.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/victim", []byte("victim's"), 0o644), os.WriteFile(dir+"/file", []byte("old"), 0o600), os.Symlink("victim", dir+"/link"))
	d := open(t, dir, false)
	old, err := os.Open(dir + "/file")
	must(t, err)
	defer old.Close()
	defer syscall.Umask(syscall.Umask(0o077))
	must(t, d.Put("file", safedir.Bytes([]byte("new"), 0o644)), d.Put("link", safedir.Bytes([]byte("new"), 0o444)))
	failed := errors.New("disk full")
	if err := d.Put("file", func(f files.Raw) error { _, _ = f.Write([]byte("half")); return failed }); err != failed {
		t.Errorf("error %v", err)
	}
	if err := d.Put("none/x", safedir.Bytes(nil, 0o644)); err == nil {
		t.Error("it was put where there is no directory")
	}
	if err := d.Create("file", safedir.Bytes(nil, 0o644)); err != unix.EEXIST {
		t.Errorf("Create of what is there: %v", err)
	}
	if got, want := held(t, dir), map[string]string{"victim": "victim's", "file": "new", "link": "new"}; !maps.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
	if data, err := io.ReadAll(old); string(data) != "old" || err != nil {
		t.Errorf("its reader has %q, %v", data, err)
	}
	for name, want := range map[string]fs.FileMode{"file": 0o644, "link": 0o444} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, want %v (%v)", name, info.Mode(), want, err)
		}
	}
}

// TestModes: no mode depends on the umask, and none is set by fchmodat2(2).
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o777} {
		dir := t.TempDir()
		d := open(t, dir, false)
		must(t, os.WriteFile(dir+"/file", nil, 0o600))
		var err error
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			testfs.Refusing(t, unix.EPERM, unix.SYS_FCHMODAT2, func() {
				one, made := d.Make("one", 0o750)
				if made == nil {
					defer one.Close()
					made = safedir.Made(one.Enter("below", true))
				}
				err = errors.Join(made, safedir.Made(d.Enter("a/b/c", true)), safedir.Made(d.Enter("a/b/d", true)), safedir.Made(d.Enter(".", true)),
					d.Chmod("file", 0o644), d.Chmod(".", 0o711))
			})
		}()
		must(t, err)
		for name, want := range map[string]fs.FileMode{
			".": fs.ModeDir | 0o711, "one": fs.ModeDir | 0o750, "one/below": fs.ModeDir | files.DirMode, "a": fs.ModeDir | files.DirMode, "a/b": fs.ModeDir | files.DirMode,
			"a/b/c": fs.ModeDir | files.DirMode, "a/b/d": fs.ModeDir | files.DirMode, "file": 0o644,
		} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
				t.Errorf("umask %03o, %s: %v, want %v (%v)", umask, name, info.Mode(), want, err)
			}
		}
	}
}

// TestRemoveAll: what can't be removed at once is, if confit may open it. What a link leads to stays.
func TestRemoveAll(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/a/"+strings.Repeat("b/", 50), 0o755), os.MkdirAll(dir+"/a/closed/x/y", 0o755), os.Chmod(dir+"/a/closed/x", 0), os.Chmod(dir+"/a/closed", 0),
		os.WriteFile(dir+"/file", nil, 0o600), os.Symlink("..", dir+"/a/link"))
	powerless(t)
	d := open(t, dir, false)
	must(t, d.RemoveAll("a"), d.RemoveAll("none"))
	if got := held(t, dir); !maps.Equal(got, map[string]string{"file": ""}) {
		t.Errorf("left: %v", got)
	}
	must(t, os.Mkdir(dir+"/shut", 0o755), os.WriteFile(dir+"/shut/x", nil, 0o600), os.Chmod(dir+"/shut", 0o555))
	if err := open(t, dir+"/shut", false).RemoveAll("x"); err != unix.EACCES {
		t.Errorf("error %v", err)
	}
	must(t, os.Chmod(dir+"/shut", 0o755))
}

// TestSweep: what is stale goes, as far as it can, and that is told.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	busy := files.TmpName()
	must(t, os.MkdirAll(dir+"/"+busy+"/mount", 0o755), os.WriteFile(dir+"/"+busy+"/x", nil, 0o600))
	testfs.Mount(t, "tmpfs", dir+"/"+busy+"/mount", "tmpfs", "")
	must(t, os.WriteFile(dir+"/"+files.TmpName(), nil, 0o600), os.MkdirAll(dir+"/"+files.TmpName()+"/x", 0o755), os.WriteFile(dir+"/file", nil, 0o600))
	d := open(t, dir, false)
	for range 2 {
		some, err := d.Sweep(safedir.IsTemporary)
		if got := held(t, dir); !some || err != nil || !maps.Equal(got, map[string]string{"file": "", busy: "a directory"}) {
			t.Errorf("swept: %v, %v; left: %v", some, err, got)
		}
	}
	if got := held(t, dir+"/"+busy); !maps.Equal(got, map[string]string{"mount": "a directory"}) {
		t.Errorf("beside a mount there is left: %v", got)
	}
	if err := d.RemoveAll(busy); err != unix.EBUSY {
		t.Errorf("error %v", err)
	}
	if some, err := d.Sweep(func(string) bool { return false }); some || err != nil {
		t.Errorf("swept: %v, %v", some, err)
	}
}
