package generation_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/safedir"
)

// TestCheckNames: what a hook changed in its candidate is named. It stays as it is: the
// candidate is refused.
func TestCheckNames(t *testing.T) {
	for name, tt := range map[string]struct {
		hook  func(dir string) error
		names string // "": nothing is refused
	}{
		"nothing":                  {func(string) error { return nil }, ""},
		"a key's bytes":            {func(dir string) error { return os.WriteFile(dir+"/web/a", []byte("2"), 0) }, `changed key "web/a"`},
		"a key's mode":             {func(dir string) error { return os.Chmod(dir+"/web/a", 0o600) }, `changed the mode or owner of key "web/a"`},
		"a key's owner":            {func(dir string) error { return os.Chown(dir+"/web/a", 1234, -1) }, `changed the mode or owner of key "web/a"`},
		"a key's group":            {func(dir string) error { return os.Chown(dir+"/web/a", -1, 1234) }, `changed the mode or owner of key "web/a"`},
		"a key's name":             {func(dir string) error { return os.Rename(dir+"/web/a", dir+"/web/b") }, `removed key "web/a"`},
		"a key's kind":             {func(dir string) error { return relink(dir+"/web/a", "sub/c") }, `changed key "web/a"`},
		"a directory's mode":       {func(dir string) error { return os.Chmod(dir+"/web/sub", 0o700) }, `changed the mode or owner of directory "web/sub"`},
		"an empty directory":       {func(dir string) error { return os.Remove(dir + "/tls") }, `removed directory "tls"`},
		"the candidate":            {func(dir string) error { return os.RemoveAll(dir) }, `removed directory "."`},
		"the candidate, by a link": {func(dir string) error { return errors.Join(os.Rename(dir, dir+"x"), os.Symlink(dir+"x", dir)) }, `changed directory "."`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, t.TempDir(), "web/", "/etc/web/", "tls/", "/etc/tls")
			g := s.write("web/a", "1", "web/sub/c", "3")
			s.must(s.enter(g, func(top *safedir.Dir) error { return safedir.Made(top.Make("tls", files.DirMode)) }))
			s.must(tt.hook(g.Dir))
			err := s.store.Check(g)
			switch {
			case tt.names == "" && err != nil:
				t.Errorf("the hook changed nothing: %v", err)
			case tt.names != "" && (!files.IsInvalid(err) || !strings.Contains(err.Error(), "the hook "+tt.names)):
				t.Errorf("error %v (%T), want that the hook %s", err, err, tt.names)
			}
		})
	}
}

func relink(path, to string) error { return errors.Join(os.Remove(path), os.Symlink(to, path)) }

// TestCheckRemoves: what a hook left beside the keys goes, and what it led to stays.
func TestCheckRemoves(t *testing.T) {
	s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
	g := s.write("web/a", "1")
	before := s.tree(g)
	victim := filepath.Join(t.TempDir(), "x")
	s.must(errors.Join(os.WriteFile(victim, nil, 0o644), os.Symlink(filepath.Dir(victim), g.Dir+"/web/link"),
		os.MkdirAll(g.Dir+"/web/cache/deep", 0o500), os.WriteFile(g.Dir+"/web/cache/deep/x", nil, 0)))
	s.must(s.store.Check(g))
	if after := s.tree(g); !maps.Equal(after, before) {
		t.Errorf("it holds\n%v\nwant\n%v", after, before)
	}
	if files.Missing(victim) {
		t.Error("what the link led to is gone")
	}
	if said := s.said.String(); strings.Count(said, `paths="[web/cache web/link]" count=2`) != 1 {
		t.Errorf("it says %q", said)
	}
}

// TestCheckWithinATick: on a file system whose clock is coarse, a file that is written
// twice in one tick looks the same after both. ramfs has no finer times on any kernel.
func TestCheckWithinATick(t *testing.T) {
	dir := t.TempDir()
	testfs.Mount(t, "ramfs", dir, "ramfs", "")
	s := newShelf(t, dir, "web/", "/etc/web/")
	for range 1000 {
		g := s.write("web/a", "1")
		before := stat(t, g)
		s.must(os.WriteFile(filepath.Join(g.Dir, "web/a"), []byte("2"), 0))
		if stat(t, g) != before {
			continue // in another tick
		}
		if err := s.store.Check(g); !files.IsInvalid(err) {
			t.Errorf("error %v, want that the key was changed", err)
		}
		return
	}
	t.Fatal("no two writes were in one tick")
}

// stat is what stat(2) tells of web/a, but for when it was read.
func stat(t *testing.T, g *generation.Stored) syscall.Stat_t {
	t.Helper()
	info, err := os.Lstat(filepath.Join(g.Dir, "web/a"))
	if err != nil {
		t.Fatal(err)
	}
	st := *info.Sys().(*syscall.Stat_t)
	st.Atim = syscall.Timespec{}
	return st
}

// TestEnter: it enters a directory, and follows no link in its place.
func TestEnter(t *testing.T) {
	s := newShelf(t, t.TempDir())
	g := s.write("a", "1")
	s.must(s.enter(g, func(top *safedir.Dir) error { _, err := top.Stat("a"); return err }))
	s.must(errors.Join(os.Rename(g.Dir, g.Dir+"x"), os.Symlink(g.Dir+"x", g.Dir)))
	if err := s.enter(g, func(*safedir.Dir) error { t.Error("the link was followed"); return nil }); err != unix.ENOTDIR {
		t.Errorf("error %v", err)
	}
}
