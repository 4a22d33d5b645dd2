package generation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"confit/linker/files"
	"confit/linker/lines"
)

// Lost is the error of keys that were changed, and of which no copy is left.
type Lost struct {
	number  int
	Keys    []lines.Key
	Missing bool // one isn't there at all
}

func (e *Lost) Error() string {
	text := fmt.Sprintf("key %q of generation %d is damaged, and no copy of it is left", e.Keys[0], e.number)
	if more := len(e.Keys) - 1; more > 0 {
		text += fmt.Sprintf("; so are %d more", more)
	}
	return text
}

// Mend makes a generation's directory what was written: the app's user, an
// entrypoint or a hook may have changed it. Strangers go, and modes and owners are set
// right, also of directories. mounted may be nil: then no volume is asked. The error is a
// [*Lost] if nothing else is wrong.
func (c *Store) Mend(g *Copy, mounted BytesOf) error {
	gens, name := c.state.Generations, strconv.Itoa(g.Number)
	if info, err := gens.Lstat(name); err != nil || !info.IsDir() {
		if err := errors.Join(gens.RemoveAll(name), files.MakeDir(gens, name)); err != nil {
			return fmt.Errorf("cannot mend generation %d: %w", g.Number, files.Cause(err))
		}
	} else if info.Mode() != fs.ModeDir|files.DirMode || !files.Ours(info) {
		_ = setAttributesOf(gens, name, aDir())
	}
	return c.mendAll(g, mounted, func(flaw) bool { return true })
}

// Heal gives the files of a generation back their bytes, while the app works with it. Modes,
// owners and strangers stay as an entrypoint may have made them, until the generation is
// put in force the next time.
func (c *Store) Heal(g *Copy, mounted BytesOf) error {
	parts := c.partsOf(g)
	err := c.mendAll(g, mounted, func(f flaw) bool {
		_, inTheWay := parts[f.path]
		return f.kind == removed || f.kind == altered || f.kind == added && inTheWay
	})
	if errors.Is(err, fs.ErrNotExist) { // the directory itself is gone
		err = c.Mend(g, mounted)
	}
	return err
}

// mendAll mends the flaws that are picked.
func (c *Store) mendAll(g *Copy, mounted BytesOf, picked func(flaw) bool) error {
	var mended []lines.Key
	gone := &Lost{number: g.Number}
	err := c.WithDir(g, func(root *os.Root) error {
		return c.inspect(g, root, func(f flaw) error {
			if !picked(f) {
				return nil
			}
			err := c.mendFlaw(g, root, f, mounted)
			if errors.Is(err, ErrNoCopy) {
				gone.Keys, gone.Missing = append(gone.Keys, f.path), gone.Missing || f.kind == removed
				return nil
			}
			mended = append(mended, f.path)
			return err
		})
	})
	switch {
	case err != nil:
		return fmt.Errorf("cannot mend generation %d: %w", g.Number, files.Cause(err))
	case len(mended) > 0:
		c.log.Warn("generation mended: somebody had changed it", "generation", g.Number, "path", mended[0], "changes", len(mended))
	}
	if len(gone.Keys) == 0 {
		return nil
	}
	slices.Sort(gone.Keys)
	return gone
}

func (c *Store) mendFlaw(g *Copy, root *os.Root, f flaw, mounted BytesOf) error {
	want, isFile := g.Files[f.path]
	switch {
	case f.kind == added:
		return root.RemoveAll(string(f.path))
	case f.kind == attributes && isFile:
		return setAttributesOf(root, string(f.path), want)
	case f.kind == attributes:
		return setAttributesOf(root, string(f.path), aDir())
	case isFile:
		return c.restore(g, root, f.path, mounted)
	}
	return files.MakeDirs(root, string(f.path))
}

// setAttributesOf sets the owner, group and mode of what has a name.
func setAttributesOf(root *os.Root, name string, f File) error {
	if err := root.Lchown(name, int(f.Owner), int(f.Group)); err != nil {
		return err
	}
	return files.Chmod(root, name, f.Mode)
}
