package linker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strconv"
)

// copies knows the generations on the disk, and their packs.
type copies struct {
	*copier
	links  []source // a directory may be a target as a whole
	state  *stateDir
	log    *slog.Logger
	packer *bufio.Writer
	strays []Key // what a hook left in its candidate, and the log says so
}

// flaw is a difference between a generation's directory and what was written.
type flaw struct {
	kind flawKind
	path Key // of a file, or of a directory in the generation
}

type flawKind int

const (
	added              flawKind = iota // it isn't the generation's
	removed                            // a file or a directory is missing
	altered                            // a file has other bytes, or isn't one
	wrongAttributes                    // a file has another mode, owner or group
	wrongDirAttributes                 // a directory has another mode or owner
)

// inspection is one look at a generation's directory.
type inspection struct {
	*copier
	g     *generation
	root  *os.Root
	files map[Key]bool // those not seen yet
	dirs  map[Key]bool
	flaws []flaw
}

// inspect lists the flaws of a generation. It compares a file's stamp or, if
// another confit wrote the file, its bytes.
func (c *copies) inspect(g *generation) ([]flaw, error) {
	name := strconv.Itoa(g.Number)
	info, err := c.state.generations.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return []flaw{{removed, "."}}, nil
	}
	if err == nil && !info.IsDir() {
		return []flaw{{altered, "."}}, nil
	}
	root, err := c.state.generations.OpenRoot(name)
	if errors.Is(err, fs.ErrPermission) {
		return []flaw{{wrongDirAttributes, "."}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	in := inspection{copier: c.copier, g: g, root: root, files: map[Key]bool{}, dirs: c.dirsOf(g)}
	for _, p := range g.paths() {
		in.files[p] = true
	}
	err = fs.WalkDir(root.FS(), ".", in.visit)
	for _, p := range append(sortedKeys(in.dirs), sortedKeys(in.files)...) {
		in.found(removed, p)
	}
	return in.flaws, err
}

// dirsOf lists the directories of a generation: those of its files, and those
// that are targets as a whole.
func (c *copies) dirsOf(g *generation) map[Key]bool {
	dirs := map[Key]bool{".": true}
	add := func(dir Key) {
		for ; !dirs[dir]; dir = Key(path.Dir(string(dir))) {
			dirs[dir] = true
		}
	}
	for p, f := range g.files {
		if !f.direct {
			add(Key(path.Dir(string(p))))
		}
	}
	for i := range c.links {
		if s := &c.links[i]; s.kind == wholeDir && !s.Direct && (!s.rendered || !g.unrendered) {
			add(s.prefix)
		}
	}
	return dirs
}

func (in *inspection) found(kind flawKind, path Key) {
	in.flaws = append(in.flaws, flaw{kind, path})
}

func (in *inspection) visit(name string, d fs.DirEntry, err error) error {
	path := Key(name)
	switch {
	case errors.Is(err, fs.ErrPermission): // it is closed: visitDir has found that
		return fs.SkipDir
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case d.IsDir() && path == renderedName && in.g.unrendered:
		return fs.SkipDir // looked at by Complete
	case d.IsDir() && in.dirs[path]:
		delete(in.dirs, path)
		return in.visitDir(path)
	case !d.IsDir() && in.files[path]:
		delete(in.files, path)
		return in.visitFile(path)
	}
	in.found(added, path)
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func (in *inspection) visitDir(path Key) error {
	info, err := in.root.Lstat(string(path))
	if err == nil && (info.Mode() != fs.ModeDir|dirMode || !ours(info)) {
		in.found(wrongDirAttributes, path)
	}
	return ignoring(err, fs.ErrNotExist)
}

func (in *inspection) visitFile(path Key) error {
	info, err := in.root.Lstat(string(path))
	f := in.g.files[path]
	switch {
	case errors.Is(err, fs.ErrNotExist):
		in.found(removed, path)
	case err != nil:
		return err
	case in.g.untouched(path, info):
	case in.sumOf(path) != f.sum:
		in.found(altered, path)
	case info.Mode() != f.mode || owner(info) != f.owner || group(info) != f.group:
		in.found(wrongAttributes, path)
	}
	return nil
}

// sumOf hashes a file. A file that can't be read counts as changed.
func (in *inspection) sumOf(path Key) Hash {
	f, _, err := openRegular(in.root, string(path))
	if err != nil {
		return Hash{}
	}
	defer f.Close()
	sum, err := in.copySum(f, io.Discard)
	if err != nil {
		return Hash{}
	}
	return sum
}

// removeAdded removes what a hook left beside the keys, such as the __pycache__ of
// a checker in Python. A hook that does so at each candidate is reported once.
func (c *copies) removeAdded(g *generation, strays []flaw) error {
	if len(strays) == 0 {
		return nil
	}
	err := c.withDir(g, func(root *os.Root) error {
		for _, f := range strays {
			if err := root.RemoveAll(string(f.path)); err != nil {
				return invalidf("%s, and confit cannot remove it: %w: let it write elsewhere", f.blame(g), cause(err))
			}
		}
		return nil
	})
	var names []Key
	for _, f := range strays[:min(len(strays), maxProblems)] {
		names = append(names, f.path)
	}
	if err == nil && !slices.Equal(names, c.strays) {
		c.strays = names
		c.log.Info("removed what a hook left in its candidate", "paths", names, "count", len(strays))
	}
	return err
}

// blame says what a hook did.
func (f flaw) blame(g *generation) string {
	what := "directory"
	if _, key := g.files[f.path]; key {
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
