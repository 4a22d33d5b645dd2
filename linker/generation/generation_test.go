package generation_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// TestHashOf: names, modes and bytes make the hash, and nothing else does.
func TestHashOf(t *testing.T) {
	a, b := fileOf("a", 0o444), fileOf("b", 0o444)
	base := generation.HashOf(map[lines.Key]generation.File{"x": a, "y": b})
	mode, owner := fileOf("a", 0o400), a
	owner.Owner, owner.Group, owner.Size, owner.Links = 1, 2, 3, []int{4}
	for name, tt := range map[string]struct {
		files map[lines.Key]generation.File
		same  bool
	}{
		"another owner": {map[lines.Key]generation.File{"y": b, "x": owner}, true},
		"another name":  {map[lines.Key]generation.File{"x2": a, "y": b}, false},
		"another mode":  {map[lines.Key]generation.File{"x": mode, "y": b}, false},
		"other bytes":   {map[lines.Key]generation.File{"x": b, "y": a}, false},
		"a key less":    {map[lines.Key]generation.File{"x": a}, false},
		"no key":        {nil, false},
	} {
		if got := generation.HashOf(tt.files); (got == base) != tt.same {
			t.Errorf("%s: the same is %v", name, !tt.same)
		}
	}
}

// TestChanges: what differs is listed in order, the keys that are gone at the end. What the
// renderer has yet to make isn't gone.
func TestChanges(t *testing.T) {
	from := &generation.Stored{Files: map[lines.Key]generation.File{
		"a": fileOf("1", 0o444), "b": fileOf("1", 0o444), "c": fileOf("1", 0o444), "d": fileOf("1", 0o444), ".rendered/r": fileOf("1", 0o444)}}
	to := &generation.Stored{Unrendered: true, Files: map[lines.Key]generation.File{
		"b": fileOf("1", 0o444), "c": fileOf("2", 0o444), "d": fileOf("1", 0o400), "e": fileOf("1", 0o444)}}
	told := func(list []generation.Change) (all []string) {
		for _, c := range list {
			all = append(all, fmt.Sprintf("%s %v %v", c.Key, c.ModeOnly, c.Was == files.Hash{}))
		}
		return all
	}
	if got, want := told(generation.Changes(from, to)), []string{"c false false", "d true false", "e false true", "a false false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := told(generation.Changes(nil, to)), []string{"b false true", "c false true", "d false true", "e false true"}; !slices.Equal(got, want) {
		t.Errorf("of all: got %q, want %q", got, want)
	}
	to.Unrendered = false
	if got := generation.Changes(from, to); len(got) != 5 || !got[3].Rendered() || got[4].Rendered() {
		t.Errorf("once it is rendered: %q", told(got))
	}
}

// TestWhoMayRead: a file opens as open(2) decides, and nothing is made of it for more people.
func TestWhoMayRead(t *testing.T) {
	const user, group = 1234, 2345
	for mode, want := range map[fs.FileMode][3]bool{ // for its owner, its group and others
		0o444: {true, true, true}, 0o440: {true, true, false}, 0o400: {true, false, false}, 0o044: {false, true, true}, 0o404: {true, false, true},
	} {
		f := generation.File{Mode: mode, Owner: user, Group: group}
		if got := [3]bool{f.OpensFor(user, []uint32{group}), f.OpensFor(1, []uint32{7, group}), f.OpensFor(1, []uint32{7})}; got != want {
			t.Errorf("mode %03o opens for %v, want %v", mode, got, want)
		}
	}
	for name, tt := range map[string]struct {
		f    generation.File
		want fs.FileMode
	}{
		"for all": {generation.File{Mode: 0o444, Group: group}, 0}, "for the same group": {generation.File{Mode: 0o440, Group: group}, 0o007},
		"for another group": {generation.File{Mode: 0o440, Group: 1}, 0o077}, "for its owner": {generation.File{Mode: 0o400, Group: group}, 0o077},
		"direct": {generation.File{Mode: 0o400, Direct: true}, 0},
	} {
		g := generation.Stored{Files: map[lines.Key]generation.File{"a": tt.f, "b": {Mode: 0o444}}}
		if got := g.Unreadable(group); got != tt.want {
			t.Errorf("%s: %03o, want %03o", name, got, tt.want)
		}
	}
}

// TestKeys: the caller learns the bytes of each key, and where they are.
func TestKeys(t *testing.T) {
	g := generation.Stored{Files: map[lines.Key]generation.File{"b": fileOf("1", 0o444), "a": fileOf("2", 0o444), "d": {Direct: true}, ".rendered/r": fileOf("3", 0o444)}}
	g.Know("/state/generations/1")
	sums := g.Sums.ByKey()
	if len(sums) != 4 || sums["a"] != fileOf("2", 0).Sum.Hex() || g.Dir != "/state/generations/1" {
		t.Errorf("keys of %q: %v", g.Dir, sums)
	}
}

// TestAlone: a copy whose owner can't be given is its writer's alone, and is made that again. It is shown as what its source has: hash and
// changes are those of the source's mode.
func TestAlone(t *testing.T) {
	const group = 2345
	for _, tt := range []struct {
		refused    uint32 // a system call
		mode, want fs.FileMode
		hides      bool
	}{
		{unix.SYS_FCHOWN, 0o440, 0o400, true}, {unix.SYS_FCHOWN, 0o550, 0o500, true}, {unix.SYS_FCHOWN, 0o400, 0o400, false},
		{unix.SYS_FCHOWN, 0o040, 0o400, true}, {unix.SYS_FCHMODAT2, 0o440, 0o440, false},
	} {
		s := newShelf(t, t.TempDir(), "web/", "/etc/web/")
		g := s.write("web/b", "2")
		f := fileOf("1", tt.mode)
		f.Owner, f.Group, f.Alone = 1234, group, true
		g.Files["web/a"] = f
		before := generation.HashOf(g.Files)
		testfs.Refusing(t, unix.EPERM, tt.refused, func() {
			if err := s.enter(g, func(top *safedir.Dir) error { return put(g, top, "web/a", "1") }); err != nil {
				t.Error(err)
			}
		})
		s.must(s.store.Check(g))
		s.must(os.Chmod(g.Dir+"/web/a", 0o777))
		s.must(s.store.Restore(g))
		info, err := os.Lstat(g.Dir + "/web/a")
		s.must(err)
		now := g.Files["web/a"]
		if info.Mode() != tt.want || now.Mode != tt.mode || now.KeepsGroupOut() != tt.hides || generation.HashOf(g.Files) != before {
			t.Errorf("%03o: the copy is %v, known as %+v", tt.mode, info.Mode(), now)
		}
		if now.OpensFor(1, []uint32{now.Group}) != (tt.want&0o040 != 0) {
			t.Errorf("%03o: OpensFor of the group is wrong", tt.mode)
		}
	}
}
