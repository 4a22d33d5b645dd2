package volume

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/near"
	"confit/linker/safedir"
)

// Key is one file of a volume that a link asks for.
type Key struct {
	Path   lines.Key    // where it stands in a generation
	Line   *lines.Line  // that asks for it
	Target lines.Target // "" below a link to a whole directory
	name   string       // its path in the volume
	vol    *volume
	st     files.Stat // of the file when it was looked at
}

// Nothing that could block is opened in a volume: whoever writes to a plain one can put a FIFO in
// any place, at any moment. A directory is opened by a name that only a directory has, and a file
// with O_NONBLOCK.

// walk finds the keys that a link stands for, in the opened state of the volume, and all that is
// wrong with them. It doesn't follow a link to a directory, except for the link's base itself.
type walk struct {
	*Reading
	s     *lines.Line
	v     *volume
	found bool    // something that the link names, also what a line of its own names, or what is wrong
	flaws []error // of keys
}

func (w *walk) expand() error {
	switch {
	case w.v.isFile:
		return files.AsInvalid(w.s.Errorf(
			"volume %q is no directory: mount the ConfigMap or Secret there, without subPath", w.v.dir))
	case w.s.Kind == lines.OneKey:
		return w.one(w.v.inVolume(w.s.Base))
	case w.v.root != nil:
		if err := w.dir("", w.v.inVolume(w.s.Base)); err != nil {
			return err
		}
	}
	return cmp.Or(files.JoinInvalid(w.flaws), w.missing())
}

func (w *walk) one(name string) error {
	st, err := w.v.stat(name)
	switch {
	case err == unix.ENOENT:
		return w.missing()
	case err == nil && st.IsDir():
		err = fmt.Errorf("key %q in volume %q is a directory: for every key below it write %q", name, w.v.dir,
			w.s.Source+"/")
	}
	if err != nil {
		return classify(w.s, err)
	}
	w.Keys = append(w.Keys, Key{Line: w.s, vol: w.v, Path: w.s.Prefix, name: name, Target: w.s.Target, st: st})
	return nil
}

// missing says what isn't there, and why that may be.
func (w *walk) missing() error {
	if w.found || w.s.Optional {
		return nil
	}
	return files.AsInvalid(w.s.Errorf("%s (if it may be missing, add the option optional)", whatIsMissing(w.s, w.v)))
}

func whatIsMissing(s *lines.Line, v *volume) string {
	switch {
	case s.Rendered:
		return fmt.Sprintf("the renderer made no %q", s.Source)
	case v.root == nil:
		what := fmt.Sprintf("%q needs volume %q, which is not mounted%s", s.Source, v.dir, nearVolume(s, v))
		if filepath.IsAbs(s.Source) {
			what += "; without its first slash it is below --volumes"
		}
		return what
	case s.Kind != lines.OneKey:
		return fmt.Sprintf("no key of volume %q matches %q", v.dir, s.Source)
	}
	what := fmt.Sprintf("key %q is missing from volume %q%s", v.inVolume(s.Base), v.dir, nearKey(s, v))
	if s.Floor == s.Root {
		what += "; a source is VOLUME/KEY"
	}
	return what
}

// classify tells an invalid volume, which stays invalid until it changes, from a failure of the
// system, which may pass.
func classify(s *lines.Line, err error) error {
	if errors.Is(err, errOnDisk) || errors.Is(err, files.ErrMoved) {
		return err
	}
	return files.AsInvalid(s.Errorf("%w", err))
}

func (w *walk) dir(below, name string) error {
	name, in, entries, err := w.list(name)
	defer in.Close()
	switch {
	case below == "" && err == unix.ENOENT:
		return nil // no such directory: no keys
	case below != "" && (err == unix.ENOENT || err == unix.ENOTDIR):
		return files.ErrMoved // it was a directory a moment ago
	case err != nil:
		hint := ""
		if err == unix.ENOTDIR && w.s.Kind != lines.Glob { // a slash behind a key
			hint = fmt.Sprintf("; for one key write %q", strings.TrimSuffix(w.s.Source, "/"))
		}
		return classify(w.s, fmt.Errorf("cannot list directory %q of volume %q: %w%s", name, w.v.dir, files.Reason(err),
			hint))
	}
	for _, e := range entries {
		here, name := path.Join(below, e.Name()), path.Join(name, e.Name())
		switch {
		case !visible(e.Name()) || !w.takes(here, e.IsDir()):
		case e.IsDir():
			err = w.dir(here, name)
		default:
			err = w.key(in, e, here, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) key(in *safedir.Dir, e fs.DirEntry, below, name string) (err error) {
	k := Key{Line: w.s, vol: w.v, Path: lines.Key(path.Join(string(w.s.Prefix), below)), name: name}
	if w.s.InFallback && name == hashName && w.v.dir == w.s.Floor {
		return nil
	}
	exempt := w.s.Exempt[k.Path]
	if !exempt {
		k.Target = w.s.TargetOf(k.Path)
		k.st, err = w.v.listed(in, e, name)
	}
	switch {
	case exempt:
	case err == unix.ENOENT:
		return files.ErrMoved // it was listed a moment ago
	case err != nil:
		w.flaws = append(w.flaws, w.s.Errorf("%w", err))
	case k.st.IsDir(): // a link to a directory is no key
		return nil
	default:
		w.Keys = append(w.Keys, k)
	}
	w.found = true
	return nil
}

// takes reports whether the link takes a file, or may take something in a directory.
func (w *walk) takes(below string, isDir bool) bool {
	switch {
	case w.s.Kind != lines.Glob:
		return true
	case isDir:
		return strings.Count(below, "/") < strings.Count(w.s.Pattern, "/")
	}
	ok, _ := path.Match(w.s.Pattern, below)
	return ok
}

// list reads a directory of a volume, and returns where it has read. It reads an atomic volume that
// is mounted below a plain one through its ..data: the visible links come after a swap, and don't
// show what is below a directory.
func (w *walk) list(name string) (at string, in *safedir.Dir, entries []fs.DirEntry, err error) {
	in, entries, err = w.v.readDir(name)
	if err != nil || w.v.atomic {
		return name, in, entries, err
	}
	dir := filepath.Join(w.v.dir, name)
	w.v.dirs = append(w.v.dirs, dir)
	switch {
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == lines.DataLink }):
		w.from.once[dir] = true
		name = path.Join(name, lines.DataLink)
		in.Close()
		if in, entries, err = w.v.readDir(name); err == unix.ENOENT {
			err = files.Invalidf("volume %q: its ..data link leads nowhere", dir)
		}
	case w.from.once[dir]:
		err = tornDownError(dir)
	}
	return name, in, entries, err
}

// What is not copied is read in its place, by the path of the volume itself.

// PathIn is the path of a key or directory, by its name in a volume. In an atomic one it leads
// through ..data: a new key's visible link is made only after the swap.
func PathIn(dir string, atomic bool, name string) string {
	if atomic {
		return filepath.Join(dir, lines.DataLink, name)
	}
	return filepath.Join(dir, name)
}

// InPlace is the path of a key in its volume.
func (k Key) InPlace() string { return PathIn(k.vol.dir, k.vol.atomic, k.name) }

// DirInPlace is the path of the directory that a line links as a whole, in the volume that is there
// now.
func DirInPlace(s *lines.Line) string {
	dir, atomic := findVolume(s)
	name, _ := filepath.Rel(dir, s.Base)
	return PathIn(dir, atomic, name)
}

// nearKey is the hint for a misspelt key, or for one in another directory.
func nearKey(s *lines.Line, v *volume) string {
	name := v.inVolume(s.Base)
	if hint := didYouMean(path.Base(name), v.names(path.Dir(name))); hint != "" || path.Dir(name) == "." {
		return hint
	}
	return didYouMean(path.Base(name), v.names("."))
}

// nearVolume is the hint for a misspelt volume, or for a source that begins with the directory of
// all volumes.
func nearVolume(s *lines.Line, v *volume) string {
	all, dir := filepath.Split(v.dir)
	if rest, found := strings.CutPrefix(s.Source, path.Base(s.Root)+"/"); found {
		return fmt.Sprintf("; a source is below %q: did you mean %q?", s.Root, rest)
	}
	entries, _ := os.ReadDir(files.AsDir(all))
	return didYouMean(dir, visibleNames(entries))
}

func didYouMean(name string, names []string) string {
	if meant := near.Of(name, names); meant != "" {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	return ""
}
