package generation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/statedir"
)

// Store knows the generations on the disk.
type Store struct {
	*files.Copier
	Links  []*lines.Line // those whose keys generations have: a directory may be a target as a whole
	State  *statedir.Dir
	Log    *slog.Logger
	strays []lines.Key // what a hook left in its candidate, and the log says so
}

// flaw is a difference between a generation's directory and what was written.
type flaw struct {
	kind flawKind
	path lines.Key // of a file, or of a directory in the generation
}

type flawKind int

const (
	none       flawKind = iota
	added               // it isn't the generation's
	removed             // a file or a directory is missing
	altered             // a file has other bytes
	attributes          // a file or a directory has another mode, owner or group
)

// Enter opens the directory of a generation.
func (c *Store) Enter(g *Stored) (*safedir.Dir, error) {
	return c.State.Generations.Enter(dirOf(g), false)
}

// dirOf is the name of a generation's directory.
func dirOf(g *Stored) string { return strconv.Itoa(g.Number) }

// inspection compares a directory with a generation.
type inspection struct {
	*Store
	g      *Stored
	byName bool               // no file is opened
	left   map[lines.Key]bool // the parts that it hasn't found yet
	found  func(flaw) error
}

// inspect calls found with each flaw of a generation. It goes on below a directory only then: found
// may undo what keeps it out.
func (c *Store) inspect(g *Stored, byName bool, found func(flaw) error) error {
	var began unix.Timespec // by the clock that the kernel sets the times of files from
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &began)
	i := inspection{c, g, byName, c.partsOf(g), found}
	err := i.part(c.State.Generations, dirOf(g), ".")
	for _, p := range files.SortedKeys(i.left) {
		if err == nil {
			err = found(flaw{removed, p})
		}
	}
	if err == nil && !byName {
		g.ended = max(g.ended, began.Nano())
	}
	return err
}

// part looks at what has a name in a directory. p is its path in the generation.
func (i *inspection) part(in *safedir.Dir, name string, p lines.Key) error {
	st, err := in.Stat(name)
	isDir := st.IsDir()
	wantDir, known := i.left[p]
	switch {
	case err != nil:
		return files.Ignoring(err, unix.ENOENT)
	case p == lines.RenderedDir && i.g.Unrendered && isDir:
		return nil // looked at when it is rendered
	case !known || wantDir != isDir:
		return i.found(flaw{added, p})
	}
	delete(i.left, p)
	kind, err := i.compare(in, name, p, &st)
	if kind != none {
		err = i.found(flaw{kind, p})
	}
	if err != nil || !isDir {
		return err
	}
	sub, err := in.Enter(name, false)
	if err != nil {
		return files.Ignoring(err, unix.ENOENT, unix.EACCES)
	}
	defer sub.Close()
	entries, err := sub.List()
	err = files.Ignoring(err, unix.ENOENT, unix.EACCES) // what is in a directory that is closed is removed
	for _, e := range entries {
		if err == nil {
			err = i.part(sub, e.Name(), lines.Key(path.Join(string(p), e.Name())))
		}
	}
	return err
}

// partsOf lists the files of a generation, their directories and those that are targets as a whole,
// and whether each is a directory.
func (c *Store) partsOf(g *Stored) map[lines.Key]bool {
	parts := map[lines.Key]bool{".": true}
	add := func(dir lines.Key) {
		for ; !parts[dir]; dir = lines.Key(path.Dir(string(dir))) {
			parts[dir] = true
		}
	}
	for p, f := range g.Files {
		if !f.Direct {
			parts[p] = false
			add(lines.Key(path.Dir(string(p))))
		}
	}
	for _, s := range c.Links {
		if s.Kind == lines.WholeDir && !s.Direct && (!s.Rendered || !g.Unrendered) {
			add(s.Prefix)
		}
	}
	return parts
}

// compare looks at one part. It reads a file, unless nobody has touched it since it was read or
// written last. The error is one that may pass: nobody knows what is in the file.
func (i *inspection) compare(in *safedir.Dir, name string, p lines.Key, st *files.Stat) (flawKind, error) {
	f, isFile := i.g.Files[p]
	switch {
	case !isFile && st.Mode&0o7777 == files.DirMode && files.Own(st.Uid):
		return none, nil
	case !isFile:
		return attributes, nil
	case !st.IsRegular():
		return altered, nil
	case !i.byName && !i.g.untouched(p, st):
		sum, err := i.copyOf(in, name, f.Size, io.Discard)
		if files.MayPass(err) {
			return none, err
		}
		if err != nil || sum != f.Sum {
			return altered, nil
		}
		i.g.seen(p, st)
	}
	if st.Mode&0o7777 != uint32(f.copyMode()) || st.Uid != f.Owner || st.Gid != f.Group {
		return attributes, nil
	}
	return none, nil
}

// copyOf copies what has a name, if it is a regular file, and returns its hash. A file that is larger
// than it was has another one.
func (c *Store) copyOf(in *safedir.Dir, name string, size int64, to io.Writer) (sum files.Hash, err error) {
	f, _, err := in.OpenRegular(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	sum, _, err = c.CopyUpTo(f, to, size)
	return sum, err
}

// Read returns the bytes of a key, if they are what was written.
func (c *Store) Read(g *Stored, p lines.Key) ([]byte, error) {
	var data bytes.Buffer
	err := c.at(g, p, func(in *safedir.Dir, name string) error {
		f := g.Files[p]
		sum, err := c.copyOf(in, name, f.Size, &data)
		if err == nil && sum != f.Sum {
			err = errors.New("it was changed")
		}
		return err
	})
	return data.Bytes(), err
}

// Check looks at a candidate after a hook has run. What the hook left beside the keys is removed.
// An [*files.Invalid] names what is no longer as it was staged.
func (c *Store) Check(g *Stored) error {
	var strays []lines.Key
	var wrong []error
	gone := false // all of it
	err := c.inspect(g, false, func(f flaw) error {
		isStray := f.kind == added && f.path != "."
		switch {
		case isStray:
			if err := c.at(g, f.path, (*safedir.Dir).RemoveAll); err != nil {
				err = fmt.Errorf("%s, and confit cannot remove it: %w: let it write elsewhere", f.blame(g), err)
				wrong = append(wrong, err)
				return nil
			}
			strays = append(strays, f.path)
		case !gone:
			wrong = append(wrong, fmt.Errorf("%s: let it write elsewhere", f.blame(g)))
			gone = f.path == "." && f.kind != attributes
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot check generation %d in state directory %q: %w", g.Number, c.State.Path, err)
	}
	c.sayRemoved(strays)
	return files.JoinInvalid(wrong)
}

// sayRemoved says once what a hook left beside the keys, such as the __pycache__ of a checker in
// Python.
func (c *Store) sayRemoved(strays []lines.Key) {
	shown := strays[:min(len(strays), files.MaxProblems)]
	if len(shown) > 0 && !slices.Equal(shown, c.strays) {
		c.strays = shown
		c.Log.Info("removed what a hook left in its candidate", "paths", shown, "count", len(strays))
	}
}

// blame says what a hook did.
func (f flaw) blame(g *Stored) string {
	what := "directory"
	if _, key := g.Files[f.path]; key {
		what = "key"
	}
	switch {
	case f.kind == added && f.path != ".":
		return fmt.Sprintf("the hook added %q to its candidate", f.path)
	case f.kind == removed:
		return fmt.Sprintf("the hook removed %s %q from its candidate", what, f.path)
	case f.kind != attributes: // or something else is in its place
		return fmt.Sprintf("the hook changed %s %q of its candidate", what, f.path)
	}
	return fmt.Sprintf("the hook changed the mode or owner of %s %q of its candidate", what, f.path)
}
