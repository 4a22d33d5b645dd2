package seed

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// TestParse: what can't be meant is refused with what to write instead.
func TestParse(t *testing.T) {
	for text, answer := range map[string]string{
		"":               "names no two absolute paths: write DIR=TO",
		"/etc":           "names no two absolute paths",
		"etc=/seed":      "names no two absolute paths",
		"/etc=seed":      "names no two absolute paths",
		"/=/seed":        "is the whole image",
		"/etc/..=/seed":  "is the whole image",
		"/etc=/etc":      `"/etc" is inside "/etc"`,
		"/etc=/etc/x/":   `"/etc/x" is inside "/etc": write a directory of another volume`,
		"/etc=/etcetera": "",
		"/a//b/=/c/./d":  "",
	} {
		p, err := Parse(text)
		switch {
		case answer == "" && (err != nil || p.From != filepath.Clean(p.From) || p.To != filepath.Clean(p.To)):
			t.Errorf("%q: %v, %v", text, p, err)
		case answer != "" && (err == nil || !strings.Contains(err.Error(), answer)):
			t.Errorf("%q: %v, want %s", text, err, answer)
		}
	}
}

// TestSeed_refused: all that is wrong is said at once, and nothing is written.
func TestSeed_refused(t *testing.T) {
	eachUser(t, func(i *image) {
		i.put("a", "a", 0o644)
		i.put("sub/a", "a", 0o644)
		i.must(os.Symlink("/", i.path("whole")))
		i.must(os.Symlink("image/sub", i.path("inside")))
		i.must(os.WriteFile(i.path("volume/file"), nil, 0o644))
		before := i.tree(".")
		said, code := i.run(i.path("image")+"="+i.path("volume/good"), i.path("whole")+"="+i.path("volume/b"), i.path("image/a")+"="+i.path("volume/c"),
			i.path("image")+"="+i.path("volume/file"), i.path("image")+"="+i.path("inside/x"))
		if code != 71 {
			i.Errorf("exit code %d", code)
		}
		i.says(said, `"/" is the whole image`, `cannot seed "`+i.path("volume/c")+`" from "`+i.path("image/a")+`": not a directory`,
			`cannot seed "`+i.path("volume/file")+`" from`, `"`+i.path("image/sub/x")+`" is inside "`+i.path("image")+`"`)
		if after := i.tree("."); !maps.Equal(before, after) {
			i.Errorf("was\n%v\nis\n%v", before, after)
		}
	})
}

// TestSeed_large: more than 64 MiB are refused before a byte is copied, what a user can't read isn't
// counted, and 64 MiB of several directories are copied.
func TestSeed_large(t *testing.T) {
	i := newImage(t, another)
	i.put("locked", "", 0o600)
	i.must(os.Truncate(i.path("image/locked"), 1<<40))
	i.put("a", "", 0o644)
	i.put("b/c", "", 0o644)
	i.must(os.Truncate(i.path("image/a"), most/2))
	i.must(os.Truncate(i.path("image/b/c"), most/2+1))
	pair := i.path("image") + "=" + i.path("volume/to")
	said, code := i.run(pair)
	i.says(said, "cannot seed 65 MiB: 64 MiB are the most; write directories that hold less")
	if _, err := os.Lstat(i.path("volume/to")); err == nil || code != 71 {
		t.Errorf("exit code %d, and there is a copy", code)
	}
	i.must(os.Truncate(i.path("image/b/c"), most/2))
	i.says(i.seed("to"), "seeded 2 files, 67108864 bytes")
}

// TestSeed_missing: where the image has no directory, or none that its user may read, there is an
// empty one, which is root's or shut.
func TestSeed_missing(t *testing.T) {
	eachUser(t, func(i *image) {
		i.must(os.Symlink("gone", i.path("dangling")))
		i.must(os.Mkdir(i.path("locked"), 0o700))
		for _, name := range []string{"nothing", "dangling", "locked", "locked/below"} {
			to := i.path("volume", name, "etc")
			said, code := i.run(i.path(name) + "=" + to)
			if info, err := os.Lstat(to); err != nil || code != 0 || !info.IsDir() || info.Mode().Perm() != map[int]os.FileMode{0: 0o755, another: 0o555}[i.user] && name != "locked" {
				i.Errorf("%s: exit code %d, %v, %v", name, code, info, err)
			}
			if name != "locked" || i.user != 0 {
				i.says(said, `nothing to copy: "`+i.path(name)+`": `, "seeded 0 files, 0 bytes")
			}
		}
	})
}

// TestSeed_symlink: the directory may be a symlink to one.
func TestSeed_symlink(t *testing.T) {
	i := newImage(t, another)
	i.put("a", "a", 0o644)
	i.must(os.Symlink("image", i.path("link")))
	if said, code := i.run(i.path("link") + "=" + i.path("volume/to")); code != 0 {
		t.Fatal(said)
	}
	i.same("volume/to")
}

// TestSeed_leftovers: what a killed run left is removed, in the directory or beside it, be it of read-only
// directories.
func TestSeed_leftovers(t *testing.T) {
	eachUser(t, func(i *image) {
		i.put("a/b/c", "a", 0o644)
		leave := func(dir string) {
			tree := i.path(dir, files.TmpPrefix+"x")
			i.must(os.MkdirAll(tree+"/a/b", 0o755))
			i.must(os.WriteFile(tree+"/a/b/c", nil, 0o644))
			for _, path := range []string{tree, tree + "/a", tree + "/a/b", tree + "/a/b/c"} {
				i.must(os.Chown(path, i.user, i.user))
			}
			i.must(os.Chmod(tree+"/a/b", 0o500))
			i.must(os.Chmod(tree+"/a", 0o500))
		}
		leave("volume")
		i.seed("to")
		i.same("volume/to")
		leave("volume/to")
		i.must(os.Chown(i.path("volume/to"), i.user, i.user))
		i.seed("to")
		if got := i.tree("volume"); len(got) != 5 {
			i.Errorf("there are %v", got)
		}
	})
}

// TestSeed_full: what doesn't fit is removed, and said; what is there is whole.
func TestSeed_full(t *testing.T) {
	i := newImage(t, another)
	i.put("a", "a", 0o644)
	i.put("b/c", strings.Repeat("x", 2<<20), 0o644)
	i.must(unix.Mount("tmpfs", i.path("volume"), "tmpfs", 0, "size=1m,mode=0777"))
	t.Cleanup(func() { _ = unix.Unmount(i.path("volume"), unix.MNT_DETACH) })
	said, code := i.run(i.path("image") + "=" + i.path("volume"))
	i.says(said, `"`+i.path("image/b/c")+`": no space left on device`)
	if got := i.tree("volume"); code != 71 || len(got) != 2 || got["/a"] == "" {
		t.Errorf("exit code %d, there are %v", code, got)
	}
}
