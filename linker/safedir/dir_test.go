package safedir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// another is a user that is neither root nor confit's.
const another = 65534

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// open goes a way that is good.
func open(t *testing.T, path string, makes bool) *safedir.Dir {
	t.Helper()
	d, err := safedir.Open(path, makes)
	must(t, err)
	t.Cleanup(d.Close)
	return d
}

// is reports whether a directory is the one that has a path.
func is(d *safedir.Dir, path string) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && st.Ino == d.St.Ino && st.Dev == d.St.Dev
}

// TestOpenFollows: where only root and confit's own user may write, a way leads through
// symlinks as it does for everybody.
func TestOpenFollows(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/real/deep", 0o755), os.Symlink(dir+"/real", dir+"/absolute"), os.Symlink("real/deep", dir+"/relative"),
		os.Symlink("absolute/../real/./deep", dir+"/both"), os.WriteFile(dir+"/file", nil, 0o644), os.Symlink("nothing", dir+"/dead"),
		os.Symlink("endless", dir+"/endless"))
	for path, want := range map[string]any{
		"":              ".",
		"//real//./":    "real",
		"absolute":      "real",
		"absolute/deep": "real/deep",
		"relative":      "real/deep",
		"both":          "real/deep",
		"real/..":       ".",
		"file":          unix.ENOTDIR,
		"file/x":        unix.ENOTDIR,
		"none":          unix.ENOENT,
		"dead":          unix.ENOENT,
		"endless":       unix.ELOOP,
	} {
		d, err := safedir.Open(dir+"/"+path, false)
		if err != nil {
			if err != want {
				t.Errorf("%q: error %v, want %v", path, err, want)
			}
			continue
		}
		if name, good := want.(string); !good || !is(d, filepath.Join(dir, name)) {
			t.Errorf("%q leads to directory %d, want %v", path, d.St.Ino, want)
		}
		d.Close()
	}
}

// TestOpenFollowsAsManyAsTheKernel: the next one is refused, as by open(2).
func TestOpenFollowsAsManyAsTheKernel(t *testing.T) {
	dir := t.TempDir()
	for n := range 50 {
		must(t, os.Symlink(fmt.Sprint("link", n-1), fmt.Sprint(dir, "/link", n)))
	}
	must(t, os.Mkdir(dir+"/link-1", 0o755))
	for n := range 50 {
		path := fmt.Sprint(dir, "/link", n)
		_, kernel := os.Stat(path)
		d, err := safedir.Open(path, false)
		if err == nil {
			d.Close()
		}
		if err != files.Cause(kernel) {
			t.Errorf("%d symlinks: %v, want %v", n+1, err, kernel)
		}
	}
}

// TestOpenRefuses: where others may write, a symlink is refused by name, and nothing is
// made behind it. So it is in all directories below, as they may have been put there.
func TestOpenRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		owner   int         // of the directory above
		mode    fs.FileMode // of the directory above
		between string      // directories between that one and the symlink, of confit's user
		good    bool
	}{
		"only root may write":                  {0, 0o755, "", true},
		"its owner may":                        {another, 0o755, "", false},
		"its group may":                        {0, 0o775, "", false},
		"everybody may":                        {0, 0o777, "", false},
		"everybody may, what is theirs":        {0, 0o777 | fs.ModeSticky, "", false},
		"everybody may, above":                 {0, 0o777, "a/b/", false},
		"its owner may, above":                 {another, 0o755, "a/b/", false},
		"its owner may, above, what is theirs": {another, 0o755 | fs.ModeSticky, "a/", false},
		"everybody may, above, what is theirs": {0, 0o777 | fs.ModeSticky, "a/b/", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			above, link := dir+"/above", dir+"/above/"+tt.between+"link"
			must(t, os.Mkdir(dir+"/victim", 0o755), os.MkdirAll(above+"/"+tt.between, 0o755), os.Symlink(dir+"/victim", link))
			must(t, os.Chown(above, tt.owner, 0), os.Chmod(above, tt.mode), os.Lchown(link, 1234, 1234))
			d, err := safedir.Open(link+"/made", true)
			if tt.good {
				must(t, err)
				d.Close()
				return
			}
			by, ok := errors.AsType[*safedir.Blocked](err)
			if !ok || by.Instead == "" || !strings.Contains(err.Error(), fmt.Sprintf("a symlink of user 1234 in the place of directory %q", link)) {
				t.Errorf("error %v", err)
			}
			if entries, err := os.ReadDir(dir + "/victim"); err != nil || len(entries) > 0 {
				t.Errorf("behind the symlink there is %v (%v)", entries, err)
			}
		})
	}
}

// TestOpenMakes: missing directories are made 0755, whatever the umask, if that is asked.
func TestOpenMakes(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o777} {
		dir := t.TempDir()
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			if d := open(t, dir+"/a/b/c", true); !is(d, dir+"/a/b/c") {
				t.Error("it is another directory")
			}
			must(t, safedir.MakeParents(dir+"/d/e"), safedir.MakeParents(dir+"/d"))
		}()
		for _, name := range []string{"a", "a/b", "a/b/c", "d", "d/e"} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != fs.ModeDir|0o755 {
				t.Errorf("umask %03o, %s: %v, %v", umask, name, info, err)
			}
		}
	}
}

// TestMayReplace: another directory in the place of one that confit worked in is good if
// nobody gains by that.
func TestMayReplace(t *testing.T) {
	const third = 1234
	for name, tt := range map[string]struct {
		above, was, now int
		mode            fs.FileMode // of the directory above
		may             bool
	}{
		"where only root may write":                  {0, 0, third, 0o755, true},
		"of the same user":                           {another, another, another, 0o755, true},
		"of the user above, in the place of root's":  {another, 0, another, 0o755, true},
		"root's, in an emptyDir":                     {0, 0, 0, 0o777, true},
		"root's, in the place of a user's":           {another, another, 0, 0o755, false},
		"root's, in the place of one in an emptyDir": {0, another, 0, 0o777, false},
		"root's, in a directory for temporary files": {0, another, 0, 0o777 | fs.ModeSticky, true},
		"a third user's, in the user's home":         {another, another, third, 0o755, false},
		"a third user's, in an emptyDir":             {0, another, third, 0o777, false},
		"a third user's, in a sticky one":            {0, another, third, 0o777 | fs.ModeSticky, false},
	} {
		t.Run(name, func(t *testing.T) {
			above := t.TempDir()
			must(t, os.Mkdir(above+"/was", 0o755), os.Mkdir(above+"/now", 0o755), os.Chown(above+"/was", tt.was, 0), os.Chown(above+"/now", tt.now, 0))
			must(t, os.Chown(above, tt.above, 0), os.Chmod(above, tt.mode))
			was, now := open(t, above+"/was", false), open(t, above+"/now", false)
			if got := now.MayReplace(was.St); got != tt.may {
				t.Errorf("it may: %v", got)
			}
			if !was.MayReplace(was.St) {
				t.Error("a directory may not stay in its own place")
			}
		})
	}
}
