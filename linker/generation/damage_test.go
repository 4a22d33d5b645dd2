package generation_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// harm is what somebody may do to a generation, and which keys are damaged by it.
type harm struct {
	do      func(dir string) error
	damages []lines.Key
}

var harms = map[string]harm{
	"nothing":            {func(string) error { return nil }, nil},
	"a mode":             {func(dir string) error { return os.Chmod(dir+"/web/a", 0o666) }, nil},
	"an owner":           {func(dir string) error { return os.Chown(dir+"/web/sub/c", 1234, 1234) }, nil},
	"a directory's mode": {func(dir string) error { return os.Chmod(dir+"/web/sub", 0o700) }, nil},
	"its own mode":       {func(dir string) error { return os.Chmod(dir, 0o777) }, nil},
	"a stranger":         {func(dir string) error { return os.WriteFile(dir+"/web/x", nil, 0o600) }, nil},
	"bytes":              {func(dir string) error { return os.WriteFile(dir+"/web/a", []byte("2"), 0) }, []lines.Key{"web/a"}},
	"another kind":       {func(dir string) error { return relink(dir+"/web/a", "/etc/passwd") }, []lines.Key{"web/a"}},
	"no file":            {func(dir string) error { return os.Remove(dir + "/web/a") }, []lines.Key{"web/a"}},
	"no directory":       {func(dir string) error { return os.RemoveAll(dir + "/web/sub") }, []lines.Key{"web/sub/c"}},
	"a directory's link": {func(dir string) error { return errors.Join(os.RemoveAll(dir+"/web"), os.Symlink("/etc", dir+"/web")) }, []lines.Key{"web/a", "web/sub/c"}},
	"nothing left":       {os.RemoveAll, []lines.Key{"web/a", "web/sub/c"}},
	"a link in its place": {func(dir string) error {
		return errors.Join(os.RemoveAll(dir), os.Symlink("/etc", dir))
	}, []lines.Key{"web/a", "web/sub/c"}},
}

// damagedIn lists the keys that an error is about.
func damagedIn(err error) []lines.Key {
	if d, is := errors.AsType[*generation.Damaged](err); is {
		return d.Keys
	}
	return nil
}

// TestCompare: a key that is missing or has other bytes is named, also twice. A mode, an owner and a name too many are no damage.
func TestCompare(t *testing.T) {
	for name, h := range harms {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
			g := s.write("web/a", "1", "web/sub/c", "3")
			s.must(h.do(g.Dir))
			for range 2 {
				err := s.store.Compare(g, false)
				if got := damagedIn(err); !slices.Equal(got, h.damages) || got == nil && err != nil {
					t.Errorf("damaged: %v (%v)", got, err)
				}
			}
		})
	}
}

// TestRestore: what needs no bytes is what was written afterwards, and the rest is named.
func TestRestore(t *testing.T) {
	for name, h := range harms {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
			g := s.write("web/a", "1", "web/sub/c", "3")
			before := s.tree(g)
			s.must(h.do(g.Dir))
			if got := damagedIn(s.store.Restore(g)); !slices.Equal(got, h.damages) {
				t.Errorf("damaged: %v", got)
			}
			if after := s.tree(g); h.damages == nil && !maps.Equal(after, before) {
				t.Errorf("it holds\n%v\nwant\n%v", after, before)
			}
			if said := strings.Contains(s.said.String(), "generation restored"); h.damages == nil && said != (name != "nothing") {
				t.Errorf("it says %q", s.said.String())
			}
		})
	}
}

// TestDamaged_missing tells a key that is gone from one that has other bytes.
func TestDamaged_missing(t *testing.T) {
	s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
	g := s.write("web/a", "1", "web/b", "2")
	for _, spoil := range []func() error{func() error { return os.WriteFile(g.Dir+"/web/b", []byte("x"), 0) }, func() error { return os.Remove(g.Dir + "/web/a") }} {
		s.must(spoil())
		d, ok := errors.AsType[*generation.Damaged](s.store.Compare(g, false))
		if isThere := fileExists(g.Dir + "/web/a"); !ok || d.Missing == isThere {
			t.Errorf("error %+v, and a is there: %v", d, isThere)
		}
	}
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestReplace: whatever is damaged, the keys are what was written, with the mode and owner of what stood there. What others have added
// stays, also where names can't be exchanged, and who reads meanwhile has the old bytes, whole.
func TestReplace(t *testing.T) {
	for name, h := range harms {
		if h.damages == nil {
			continue
		}
		for _, exchanges := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", exchanges), func(t *testing.T) {
				s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
				g := s.write("web/a", "1", "web/b", "2", "web/sub/c", "3")
				s.must(os.Chown(g.Dir+"/web/b", 1234, 1234))
				s.must(os.WriteFile(g.Dir+"/web/a.jnl", []byte("journal"), 0o600))
				before := s.tree(g)
				s.must(h.do(g.Dir))
				hasWeb := fileExists(g.Dir + "/web/a.jnl")
				replace := func() { s.must(s.replace(g, "web/a", "1", "web/b", "2", "web/sub/c", "3")) }
				if exchanges {
					replace()
				} else {
					testfs.Refusing(t, unix.ENOSYS, unix.SYS_RENAMEAT2, replace)
				}
				if err := s.store.Compare(g, false); err != nil {
					t.Error(err)
				}
				after := s.tree(g)
				if !hasWeb { // it went with the directory
					delete(before, g.Dir+"/web/a.jnl")
					before[g.Dir+"/web/b"] = after[g.Dir+"/web/b"]
				}
				if !maps.Equal(after, before) {
					t.Errorf("it holds\n%v\nwant\n%v", after, before)
				}
			})
		}
	}
}

// TestReplace_whole: who reads a file while its generation is replaced has the old one.
func TestReplace_whole(t *testing.T) {
	s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
	g := s.write("web/a", "1")
	s.must(os.WriteFile(g.Dir+"/web/a", []byte("spoilt"), 0))
	f, err := os.Open(g.Dir + "/web/a")
	s.must(err)
	defer f.Close()
	s.must(s.replace(g, "web/a", "1"))
	old, err := io.ReadAll(f)
	s.must(err)
	now, err := os.ReadFile(g.Dir + "/web/a")
	s.must(err)
	if string(old) != "spoilt" || string(now) != "1" {
		t.Errorf("its reader has %q, the next one %q", old, now)
	}
}

// TestReplace_no_set_user_id: who may put another file there doesn't get a program of its owner.
func TestReplace_no_set_user_id(t *testing.T) {
	s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
	g := s.write("web/a", "1")
	s.must(errors.Join(os.WriteFile(g.Dir+"/web/a", []byte("x"), 0), os.Chmod(g.Dir+"/web/a", 0o755|os.ModeSetuid|os.ModeSetgid)))
	s.must(s.replace(g, "web/a", "1"))
	if info, err := os.Stat(g.Dir + "/web/a"); err != nil || info.Mode() != 0o755 {
		t.Errorf("it has mode %v (%v)", info.Mode(), err)
	}
}

// replace writes a generation once more, and puts it in the place of the former one.
func (s *shelf) replace(g *generation.Stored, kv ...string) error {
	again := &generation.Stored{Generation: g.Generation, Files: map[lines.Key]generation.File{}}
	top, err := s.store.State.Generations.Make("again", files.DirMode)
	if err != nil {
		return err
	}
	defer top.Close()
	for i := 0; i < len(kv); i += 2 {
		again.Files[lines.Key(kv[i])] = g.Files[lines.Key(kv[i])]
		err = errors.Join(err, put(again, top, kv[i], kv[i+1]))
	}
	return errors.Join(err, s.store.Replace(g, again, "again"))
}
