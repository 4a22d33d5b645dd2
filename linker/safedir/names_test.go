package safedir_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/safedir"
)

// held describes what is in a directory: kind and, of files, bytes.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	found := map[string]string{}
	for _, e := range entries {
		found[e.Name()] = files.Describe(e.Type())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			must(t, err)
			found[e.Name()] = string(data)
		}
	}
	return found
}

// TestStaysTheOne: who puts a symlink in the place of a directory's path changes nothing
// for who has opened it, and nothing is done where the symlink leads.
func TestStaysTheOne(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/d", 0o755), os.Mkdir(dir+"/victim", 0o755))
	for _, name := range []string{"d/a", "d/b", "d/c", "victim/a", "victim/b", "victim/c"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	before := held(t, dir+"/victim")
	d := open(t, dir+"/d", false)
	must(t, os.Rename(dir+"/d", dir+"/away"), os.Symlink("victim", dir+"/d"))

	f, err := d.OpenFile("file", unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
	must(t, err, f.Close(), d.Symlink("x", "link"), d.Link("a", "second"), d.Move("b", "moved"), d.Remove("c"), d.MakeLike("like", "."))
	made, err := d.Make("made", 0o700)
	must(t, err)
	made.Close()
	entered, err := d.Enter("made", false)
	must(t, err)
	entered.Close()
	if entries, err := d.List(); err != nil || len(entries) != 7 {
		t.Errorf("listed %v (%v)", entries, err)
	}
	want := map[string]string{"a": "d/a", "second": "d/a", "moved": "d/b", "file": "", "link": "a symlink", "like": "a directory", "made": "a directory"}
	if got := held(t, dir+"/away"); !maps.Equal(got, want) {
		t.Errorf("the directory holds %v, want %v", got, want)
	}
	if got := held(t, dir+"/victim"); !maps.Equal(got, before) {
		t.Errorf("where the symlink leads there is %v, was %v", got, before)
	}
}

// TestFollowsNoLink: a symlink in the directory is one, for everything that is done to
// its name.
func TestFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/victim/x", 0o755), os.WriteFile(dir+"/file", []byte("1"), 0o644), os.Mkdir(dir+"/d", 0o755))
	must(t, os.Symlink("../victim", dir+"/d/dir"), os.Symlink("../victim/x", dir+"/d/empty"), os.Symlink("../file", dir+"/d/file"), os.WriteFile(dir+"/d/own", nil, 0o644))
	d := open(t, dir+"/d", false)
	for _, name := range []string{"dir", "file"} {
		if f, err := d.OpenFile(name, unix.O_RDONLY, 0); err != unix.ELOOP {
			t.Errorf("OpenFile %s: %v, %v", name, f, err)
		}
		if _, err := d.Enter(name, false); err != unix.ENOTDIR && err != unix.ELOOP {
			t.Errorf("Enter %s: %v", name, err)
		}
		if st, err := d.Stat(name); err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK {
			t.Errorf("Stat %s: mode %o, %v", name, st.Mode, err)
		}
		d.GiveLink(name, another, another)
	}
	d.GiveLink("own", another, another)
	for name, owner := range map[string]uint32{"d/dir": another, "d/file": another, "d/own": 0, "victim": 0, "file": 0} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || testfs.Owner(info) != owner {
			t.Errorf("%s: owner %d, want %d (%v)", name, testfs.Owner(info), owner, err)
		}
	}
	if to, err := d.Readlink("dir"); to != "../victim" || err != nil {
		t.Errorf("Readlink: %q, %v", to, err)
	}
	if d.Empty("empty") || d.Mounted("dir") || d.Missing("file") {
		t.Error("a symlink counts as what it leads to")
	}
	must(t, d.Remove("dir"), d.Remove("file"))
	if files.Missing(dir+"/victim") || files.Missing(dir+"/file") || !d.Missing("dir") || !d.Missing("file") {
		t.Error("not the symlinks were removed")
	}
}

// TestReplacesNothing: only Rename takes a name that something else has, also where the
// kernel doesn't know how to rename to a free name alone.
func TestReplacesNothing(t *testing.T) {
	testfs.Everywhere(t, func(t *testing.T, dir string, seal func()) {
		must(t, os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/b", []byte("b"), 0o644), os.Mkdir(dir+"/full", 0o755), os.WriteFile(dir+"/full/x", nil, 0o644))
		seal()
		d := open(t, dir, false)
		_, made := d.Make("b", 0o700)
		for what, err := range map[string]error{
			"Move": d.Move("a", "b"), "Symlink": d.Symlink("a", "b"), "Link": d.Link("a", "b"), "Make": made, "MakeLike": d.MakeLike("b", "full"),
		} {
			if err != unix.EEXIST {
				t.Errorf("%s: %v, want %v", what, err, unix.EEXIST)
			}
		}
		if err := d.Remove("full"); err != unix.ENOTEMPTY {
			t.Errorf("Remove of what isn't empty: %v", err)
		}
		want := map[string]string{"a": "a", "b": "b", "full": "a directory"}
		if got := held(t, dir); !maps.Equal(got, want) {
			t.Fatalf("there is %v, want %v", got, want)
		}
		must(t, d.Move("a", "free"), d.Rename("free", "b", 0))
		want = map[string]string{"b": "a", "full": "a directory"}
		if got := held(t, dir); !maps.Equal(got, want) {
			t.Errorf("there is %v, want %v", got, want)
		}
	})
}

// TestMakes: a directory is made as another one is, or for confit alone, and never
// set-user-ID.
func TestMakes(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o077))
	must(t, os.Mkdir(dir+"/model", 0o755), os.Chown(dir+"/model", 1234, 2345), unix.Chmod(dir+"/model", 0o7751))
	d := open(t, dir, false)
	must(t, d.MakeLike("like", "model"))
	own, err := d.Make("own", 0o700)
	must(t, err)
	own.Close()
	for name, want := range map[string]struct {
		mode         fs.FileMode
		owner, group uint32
	}{
		"like": {fs.ModeDir | fs.ModeSetgid | fs.ModeSticky | 0o751, 1234, 2345},
		"own":  {fs.ModeDir | 0o700, 0, 0},
	} {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode() != want.mode || testfs.Owner(info) != want.owner || testfs.Group(info) != want.group {
			t.Errorf("%s is %v of %d:%d, want %+v", name, info.Mode(), testfs.Owner(info), testfs.Group(info), want)
		}
	}
	if !d.Empty("own") || d.Empty("none") || d.Writable(".") != nil {
		t.Error("what was made isn't an empty directory in one that can be written to")
	}
}

// TestMounted: a mount is seen, also where statx(2) is refused.
func TestMounted(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/on", 0o755), os.Mkdir(dir+"/off", 0o755))
	testfs.Mount(t, "tmpfs", dir+"/on", "tmpfs", "")
	check := func() {
		d, err := safedir.Open(dir, false)
		if err != nil {
			t.Error(err)
			return
		}
		defer d.Close()
		if !d.Mounted("on") || d.Mounted("off") {
			t.Errorf("mounted: %v and %v", d.Mounted("on"), d.Mounted("off"))
		}
	}
	check()
	testfs.Refusing(t, unix.ENOSYS, unix.SYS_STATX, check)
}

// TestUnshut: a directory that is shut to its own user is open to him while confit works there, and a directory that is made in it is shut.
func TestUnshut(t *testing.T) {
	shut := filepath.Join(t.TempDir(), "shut")
	must(t, os.Mkdir(shut, 0o755), os.Chmod(shut, 0o555|os.ModeSticky))
	powerless(t)
	d := open(t, shut, false)
	if d.Writable(".") != unix.EACCES {
		t.Fatal("it isn't shut")
	}
	must(t, d.Unshut(func() error { return d.Symlink("x", "link") }), safedir.MakeParents(filepath.Join(shut, "a/b")))
	for name, want := range map[string]os.FileMode{"": 0o555 | os.ModeSticky, "a": 0o555, "a/b": 0o555} {
		if info, err := os.Lstat(filepath.Join(shut, name)); err != nil || info.Mode() != want|os.ModeDir {
			t.Errorf("%q: %v, %v, want %v", name, info, err, want)
		}
		must(t, os.Chmod(filepath.Join(shut, name), 0o755)) // so that it can be removed
	}
}

// powerless takes all capabilities from the test's thread, which ends with it.
func powerless(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	must(t, unix.Capset(&header, &none[0]))
}
