package generation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
)

// Store knows the generations on the disk.
type Store struct {
	*files.Copier
	links  []lines.Line // a directory may be a target as a whole
	state  *statedir.Dir
	log    *slog.Logger
	strays []lines.Key // what a hook left in its candidate, and the log says so
}

// NewStore makes one. links are the lines whose keys generations have.
func NewStore(copier *files.Copier, links []lines.Line, state *statedir.Dir, log *slog.Logger) *Store {
	return &Store{Copier: copier, links: links, state: state, log: log}
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

// WithDir calls do with the directory of a generation. It follows no link in its place.
func (c *Store) WithDir(g *Copy, do func(root *os.Root) error) error {
	name := strconv.Itoa(g.Number)
	info, err := c.state.Generations.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fs.ErrNotExist
	}
	root, err := c.state.Generations.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// flaws lists the flaws of a generation.
func (c *Store) flaws(g *Copy) (flaws []flaw, err error) {
	err = c.WithDir(g, func(root *os.Root) error {
		return c.inspect(g, root, func(f flaw) error { flaws = append(flaws, f); return nil })
	})
	switch _, there := c.state.Generations.Lstat(strconv.Itoa(g.Number)); {
	case errors.Is(err, fs.ErrNotExist) && there == nil:
		return []flaw{{altered, "."}}, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return []flaw{{removed, "."}}, nil
	}
	return flaws, err
}

// inspect calls found with each flaw of a generation, whose directory is open. It goes on
// below a directory only then, as found may mend what keeps confit out.
func (c *Store) inspect(g *Copy, root *os.Root, found func(flaw) error) error {
	var began unix.Timespec // by the clock that the kernel sets the times of files from
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &began)
	left := c.partsOf(g)
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		isDir, known := left[lines.Key(name)]
		switch {
		case errors.Is(err, fs.ErrPermission): // a directory that is closed was found before
			return fs.SkipDir
		case err != nil:
			return files.Ignoring(err, fs.ErrNotExist)
		case name == lines.RenderedDir && g.Unrendered && d.IsDir():
			return fs.SkipDir // looked at when it is rendered
		case !known || isDir != d.IsDir():
			if err := found(flaw{added, lines.Key(name)}); err != nil || !d.IsDir() {
				return err
			}
			return fs.SkipDir
		}
		delete(left, lines.Key(name))
		kind, err := c.compare(g, root, lines.Key(name), isDir)
		if err == nil && kind != none {
			err = found(flaw{kind, lines.Key(name)})
		}
		return err
	})
	for _, p := range files.SortedKeys(left) {
		if err == nil {
			err = found(flaw{removed, p})
		}
	}
	if err == nil {
		g.ended = max(g.ended, began.Nano())
	}
	return err
}

// partsOf lists what is in a generation's directory: its files, their directories and those
// that are targets as a whole. It says of each whether it is a directory.
func (c *Store) partsOf(g *Copy) map[lines.Key]bool {
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
	for i := range c.links {
		if s := &c.links[i]; s.Kind == lines.WholeDir && !s.Direct && (!s.Rendered || !g.Unrendered) {
			add(s.Prefix)
		}
	}
	return parts
}

// compare looks at one part. It reads a file, unless nobody has touched it since it was
// read or written last.
func (c *Store) compare(g *Copy, root *os.Root, p lines.Key, isDir bool) (flawKind, error) {
	info, err := root.Lstat(string(p))
	f := g.Files[p]
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return removed, nil
	case err != nil:
		return none, err
	case isDir && (info.Mode() != fs.ModeDir|files.DirMode || !files.Ours(info)):
		return attributes, nil
	case isDir:
		return none, nil
	case !g.untouched(p, info):
		if c.hashOf(root, p) != f.Sum {
			return altered, nil
		}
		g.seen(p, info.Sys().(*syscall.Stat_t))
	}
	if info.Mode() != f.Mode || files.Owner(info) != f.Owner || files.Group(info) != f.Group {
		return attributes, nil
	}
	return none, nil
}

// hashOf is the hash of a file's bytes; zero: it can't be read.
func (c *Store) hashOf(root *os.Root, p lines.Key) files.Hash {
	in, _, err := files.OpenRegular(root, string(p))
	if err != nil {
		return files.Hash{}
	}
	defer in.Close()
	sum, err := c.Copy(in, io.Discard)
	if err != nil {
		return files.Hash{}
	}
	return sum
}

// Check looks at a candidate after a hook has run. If a key is no longer what was staged,
// the error is an [*files.Invalid] that names what changed. What the hook left beside the
// keys is removed.
func (c *Store) Check(g *Copy) error {
	flaws, err := c.flaws(g)
	if err != nil {
		return fmt.Errorf("cannot check generation %d in state directory %q: %w", g.Number, c.state.Path, files.Cause(err))
	}
	var wrong []error
	for _, f := range flaws {
		if f.kind != added {
			wrong = append(wrong, fmt.Errorf("%s: let it write elsewhere", f.blame(g)))
		}
	}
	if len(wrong) > 0 {
		return files.JoinInvalid(wrong)
	}
	return c.removeAdded(g, flaws)
}

// removeAdded removes what a hook left beside the keys, such as the __pycache__ of
// a checker in Python. A hook that does so at each candidate is reported once.
func (c *Store) removeAdded(g *Copy, strays []flaw) error {
	if len(strays) == 0 {
		return nil
	}
	err := c.WithDir(g, func(root *os.Root) error {
		for _, f := range strays {
			if err := root.RemoveAll(string(f.path)); err != nil {
				return files.Invalidf("%s, and confit cannot remove it: %w: let it write elsewhere", f.blame(g), files.Cause(err))
			}
		}
		return nil
	})
	var names []lines.Key
	for _, f := range strays[:min(len(strays), files.MaxProblems)] {
		names = append(names, f.path)
	}
	if err == nil && !slices.Equal(names, c.strays) {
		c.strays = names
		c.log.Info("removed what a hook left in its candidate", "paths", names, "count", len(strays))
	}
	return err
}

// blame says what a hook did.
func (f flaw) blame(g *Copy) string {
	what := "directory"
	if _, key := g.Files[f.path]; key {
		what = "key"
	}
	switch f.kind {
	case added:
		return fmt.Sprintf("the hook added %q to its candidate", f.path)
	case removed:
		return fmt.Sprintf("the hook removed %s %q from its candidate", what, f.path)
	case altered:
		return fmt.Sprintf("the hook changed %s %q of its candidate", what, f.path)
	}
	return fmt.Sprintf("the hook changed the mode or owner of %s %q of its candidate", what, f.path)
}
