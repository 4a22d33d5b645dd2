package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Nothing in a volume is opened that could block: whoever writes to a plain one
// can put a FIFO in the place of anything, at any moment. A directory is opened
// by a name that only a directory has, a file with O_NONBLOCK.

// walk lists what is below a link's base.
type walk struct {
	s     *source
	v     *volume
	found func(below, name string) // below the base, and in the volume
}

// walk calls found for each name that the link matches and that isn't a
// directory. A link to a directory isn't followed, but for the base itself.
func (s *source) walk(v *volume, found func(below, name string)) error {
	if v.root == nil {
		return nil
	}
	w := walk{s, v, found}
	return w.dir("", v.inVolume(s.base))
}

func (w *walk) dir(below, name string) error {
	name, entries, err := w.v.list(name)
	switch {
	case below == "" && errors.Is(err, fs.ErrNotExist):
		return nil // no such directory: no keys
	case below != "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)):
		return errMoved // it was a directory a moment ago
	case err != nil:
		return w.s.classify(fmt.Errorf("cannot list directory %q of volume %q: %w", name, w.v.dir, cause(err)))
	}
	for _, e := range entries {
		if err := w.entry(e, path.Join(below, e.Name()), path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(e fs.DirEntry, below, name string) error {
	switch {
	case !visible(e.Name()):
	case !e.IsDir() && w.matches(below):
		w.found(below, name)
	case e.IsDir() && w.reaches(below):
		return w.dir(below, name)
	}
	return nil
}

func (w *walk) matches(below string) bool {
	ok, _ := path.Match(w.s.pattern, below)
	return ok || w.s.kind != glob
}

// reaches reports whether the link may match something in a directory.
func (w *walk) reaches(below string) bool {
	return w.s.kind != glob || strings.Count(below, "/") < strings.Count(w.s.pattern, "/")
}

// list reads a directory of a volume, and tells where. An atomic volume that
// is mounted below a plain one is read through its ..data: the visible links
// come after a swap, and don't show what is below a directory.
func (v *volume) list(name string) (at string, entries []fs.DirEntry, err error) {
	entries, err = v.readDir(name)
	if err != nil || v.atomic {
		return name, entries, err
	}
	dir := filepath.Join(v.dir, name)
	v.dirs = append(v.dirs, dir)
	switch {
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == dataLink }):
		v.nested[dir] = true
		name = path.Join(name, dataLink)
		if entries, err = v.readDir(name); errors.Is(err, fs.ErrNotExist) {
			err = invalidf("volume %q: its ..data link leads nowhere", dir)
		}
	case v.nested[dir]:
		err = tornDown(dir)
	}
	return name, entries, err
}

// maxDepth is how many directories may be nested in a volume. Each is opened
// from the volume on, so the time goes by the square of it, and a tree without
// end would be walked for ever.
const maxDepth = 100

// readDir lists a directory in order.
func (v *volume) readDir(name string) ([]fs.DirEntry, error) {
	if strings.Count(name, "/") > maxDepth {
		return nil, fmt.Errorf("more than %d directories are nested", maxDepth)
	}
	f, err := v.root.OpenFile(asDir(name), os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// asDir is a directory's name as nothing else has it: with a FIFO in its place,
// open(2) fails with ENOTDIR, where that of the bare name would wait for a
// writer. os.OpenRoot and Root.OpenRoot open the bare name.
func asDir(name string) string { return name + "/." }
