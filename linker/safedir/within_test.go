package safedir_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/safedir"
)

// found is what a way leads to: the file, or why it leads to none.
func found(d *safedir.Dir, way string) (what string) {
	var file files.Stat
	err := d.Within(way, func(in *safedir.Dir, name string, st files.Stat) error {
		if file = st; !in.Is(name, st) {
			return errors.New("another file has the name")
		}
		return nil
	})
	return described(file.Dev, file.Ino, err)
}

// byRoot is the same by os.Root.
func byRoot(root *os.Root, way string) string {
	info, err := root.Stat(way)
	if err != nil {
		return described(0, 0, files.Cause(err))
	}
	var st unix.Stat_t
	f, err := root.OpenFile(way, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		err = unix.Fstat(int(f.Fd()), &st)
	}
	if err == nil && st.Size != info.Size() {
		err = errors.New("os.Root opens another file than it looks at")
	}
	return described(st.Dev, st.Ino, err)
}

func described(dev, ino uint64, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(dev, ":", ino)
}

// grow makes a tree of directories, files and symlinks by chance, and returns ways in it, of which many lead nowhere.
func grow(t *testing.T, rnd *rand.Rand, dir string) (ways []string) {
	t.Helper()
	names := []string{"a", "b", "c", "d"}
	way := func(most int) string {
		elements := make([]string, 1+rnd.IntN(most))
		for i := range elements {
			elements[i] = append(names, "a", "b", ".", "..", "..", "")[rnd.IntN(10)]
		}
		return strings.TrimLeft(strings.Join(elements, "/"), "/")
	}
	dirs := []string{"."}
	for range 3 + rnd.IntN(12) {
		p := path.Join(dirs[rnd.IntN(len(dirs))], names[rnd.IntN(len(names))])
		var err error
		switch rnd.IntN(5) {
		case 0, 1:
			if err = os.Mkdir(path.Join(dir, p), 0o755); err == nil {
				dirs = append(dirs, p)
			}
		case 2:
			var f *os.File
			if f, err = os.OpenFile(path.Join(dir, p), os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				err = f.Close()
			}
		default:
			to := way(4)
			if rnd.IntN(12) == 0 {
				to = dir + "/" + to
			}
			if to != "" {
				err = os.Symlink(to, path.Join(dir, p))
			}
		}
		if err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	for range 12 {
		if w := way(5); w != "" {
			ways = append(ways, w)
		}
	}
	return ways
}

// TestWithin: a way leads where os.Root leads, or fails for the same reason, in 10,000 trees; in make test in a tenth of them.
func TestWithin(t *testing.T) {
	top, seed := t.TempDir(), rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	trees := 10_000
	if testing.Short() {
		trees /= 10
	}
	for n := range trees {
		dir := fmt.Sprint(top, "/", n)
		must(t, os.Mkdir(dir, 0o755))
		ways := grow(t, rnd, dir)
		d, err := safedir.At(dir)
		must(t, err)
		root, err := os.OpenRoot(dir)
		must(t, err)
		for _, way := range ways {
			if got, want := found(d, way), byRoot(root, way); got != want {
				t.Errorf("seed %d, tree %d: %q is %q, want %q", seed, n, way, got, want)
			}
		}
		d.Close()
		must(t, root.Close(), os.RemoveAll(dir))
	}
}

// TestWithinAsInGVisor: no link leads out of a directory, nor from one to another where none may, though the kernel follows a last link to a directory.
func TestWithinAsInGVisor(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/in/sub", 0o755), os.MkdirAll(dir+"/out/sub", 0o755), os.WriteFile(dir+"/out/key", nil, 0o644),
		os.Symlink("../out", dir+"/in/link"), os.Symlink("sub", dir+"/in/inside"))
	testfs.Following(t, func() {
		d, err := safedir.At(dir + "/in")
		must(t, err)
		defer d.Close()
		for _, way := range []string{"link/key", "link/sub", "link/.", "link"} {
			if got := found(d, way); got != safedir.ErrOut.Error() {
				t.Errorf("%q leads to %s", way, got)
			}
		}
		if sub, err := d.OpenWithin("inside"); err != nil || !is(sub, dir+"/in/sub") {
			t.Errorf("a link in the directory: error %v", err)
		}
		if _, err := d.Enter("link", false); err != unix.ENOTDIR {
			t.Errorf("entered through a link: error %v", err)
		}
		if d.Empty("inside") {
			t.Error("a link is said to be an empty directory")
		}
		must(t, os.Chmod(dir, 0o777))
		if _, err := safedir.Open(dir+"/in/link", false); err == nil {
			t.Error("where others may write, a way goes through a link")
		}
	})
}

// TestWithinDeep: what is nested too deeply is refused, not walked for ever.
func TestWithinDeep(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+strings.Repeat("/d", safedir.MaxDepth+1), 0o755))
	d := open(t, dir, false)
	for depth, want := range map[int]error{safedir.MaxDepth: nil, safedir.MaxDepth + 2: unix.ENAMETOOLONG} {
		if sub, err := d.OpenWithin(strings.Repeat("d/", depth) + "."); err != want {
			t.Errorf("%d deep: error %v, want %v", depth, err, want)
		} else {
			sub.Close()
		}
	}
}
