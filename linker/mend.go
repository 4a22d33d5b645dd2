package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// deepest is how many directories of a generation may lie in each other and
// all be closed to confit, for it to find what is wrong below them.
const deepest = 16

// mendGeneration makes a generation's directory again what was written: the app's own
// user, an entrypoint or a hook may have changed it. What differs or is missing
// comes from the pack, what isn't the generation's goes, and modes and owners
// are set right, of directories as well. An error says what is damaged beyond
// mending.
func (l *Linker) mendGeneration(g *generation) error {
	for range deepest {
		flaws, err := l.inspect(g)
		if err == nil && len(flaws) > 0 {
			err = l.mendFlaws(g, flaws)
		}
		if err != nil {
			return fmt.Errorf("generation %d is not what it was: %w", g.Number, err)
		}
		if len(flaws) == 0 {
			return l.withDir(g, func(root *os.Root) error { l.mendPack(g, root); return nil })
		}
		l.log.Warn("generation mended: somebody had changed it", "generation", g.Number, "path", flaws[0].path, "changes", len(flaws))
	}
	return fmt.Errorf("generation %d is not what it was: it changes while it is mended", g.Number)
}

// withDir calls do with the directory of a generation.
func (l *Linker) withDir(g *generation, do func(root *os.Root) error) error {
	root, err := l.state.generations.OpenRoot(strconv.Itoa(g.Number))
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// mendFlaws mends what was found. What is wrong with directories comes first:
// confit may not have seen what is in them.
func (l *Linker) mendFlaws(g *generation, flaws []flaw) error {
	if flaws[0].path == "." {
		return l.mendDir(g, flaws[0].kind)
	}
	return l.withDir(g, func(root *os.Root) error {
		if closed := filter(flaws, func(f flaw) bool { return f.kind == redressedDir }); len(closed) > 0 {
			return g.mendInPlace(root, closed)
		}
		lost := filter(flaws, func(f flaw) bool { return g.lost(f) })
		whole := filter(flaws, func(f flaw) bool { return !g.lost(f) })
		return errors.Join(g.mendInPlace(root, whole), l.restore(g, root, lost))
	})
}

// lost reports whether a file has to come from the pack.
func (g *generation) lost(f flaw) bool {
	_, file := g.files[f.path]
	return file && (f.kind == removed || f.kind == altered)
}

func filter(flaws []flaw, keep func(flaw) bool) []flaw {
	return slices.DeleteFunc(slices.Clone(flaws), func(f flaw) bool { return !keep(f) })
}

func (g *generation) mendInPlace(root *os.Root, flaws []flaw) error {
	for _, f := range flaws {
		if err := g.mendFlaw(root, f); err != nil {
			return err
		}
	}
	return nil
}

// mendFlaw mends what needs no pack.
func (g *generation) mendFlaw(root *os.Root, f flaw) error {
	switch f.kind {
	case added:
		return root.RemoveAll(f.path)
	case removed:
		return makeDirs(root, f.path)
	case redressedDir:
		return redressDir(root, f.path)
	}
	want := g.files[f.path]
	if err := root.Lchown(f.path, int(want.owner), int(want.group)); err != nil {
		return err
	}
	return chmodOpen(root, f.path, want.mode)
}

// mendDir mends the directory of a generation itself; what is wrong inside is
// found after that. It isn't made for nothing, when there is no pack.
func (l *Linker) mendDir(g *generation, kind flawKind) error {
	name := strconv.Itoa(g.Number)
	if kind == redressedDir {
		return redressDir(l.state.generations, name)
	}
	if err := l.packed(g); err != nil {
		return fmt.Errorf("its directory is gone, and its copy can't be used: %w", cause(err))
	}
	if err := l.state.generations.RemoveAll(name); err != nil {
		return err
	}
	return makeDir(l.state.generations, name)
}

// redressDir gives a directory confit's owner and the mode of all of them.
func redressDir(root *os.Root, name string) error {
	if err := root.Lchown(name, os.Geteuid(), os.Getegid()); err != nil {
		return err
	}
	return chmodOpen(root, name, dirMode)
}

// chmodOpen sets a mode through a descriptor, see setMode; or, if confit may not
// open what it owns, by its name.
func chmodOpen(root *os.Root, name string, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return root.Chmod(name, mode)
	}
	defer f.Close()
	return f.Chmod(mode)
}
