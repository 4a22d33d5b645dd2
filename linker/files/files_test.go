package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestNoLinkIsFollowed: the names of [files.OpenAt], [files.ReadlinkAt] and [files.AsDir] are
// taken for what they are.
func TestNoLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("12"), 0o600), os.Symlink("file", dir+"/link"), unix.Mkfifo(dir+"/fifo", 0o600))
	at, err := os.Open(dir)
	must(t, err)
	defer at.Close()
	if _, err := files.OpenAt(int(at.Fd()), "link", unix.O_RDONLY, 0); err != unix.ELOOP {
		t.Errorf("a symlink: %v", err)
	}
	f, err := files.OpenAt(int(at.Fd()), "file", unix.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	buf := make([]byte, 3)
	n, err := f.Read(buf)
	_, end := f.Read(buf)
	if n != 2 || err != nil || end == nil {
		t.Errorf("read %d bytes (%v), then %v", n, err, end)
	}
	if _, err := os.Open(files.AsDir(dir + "/fifo")); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a FIFO in a directory's place: %v", err)
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
		var st files.Stat
		must(t, unix.Lstat(path, &st.Stat_t))
		if err := files.CheckTrusted(&st); (err == nil) != (tt.words == "") || err != nil && err.Error() != tt.words {
			t.Errorf("%s: %v, want %q", name, err, tt.words)
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
		testfs.Refusing(t, unix.EPERM, tt.refused, func() {
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
		if tt.good && (info.Mode() != 0o440 || testfs.Owner(info) != tt.owner) {
			t.Errorf("%s: %v of %d", name, info.Mode(), testfs.Owner(info))
		}
	}
}
