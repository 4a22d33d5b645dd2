package generation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
)

// A generation is one copy of its keys. The other one is what is mounted, for as long as that
// has the same bytes: a key that somebody has changed gets its bytes back from there.

// Lost is the error of keys that were changed, and that nothing which was asked has.
type Lost struct {
	number  int
	Keys    []lines.Key
	Missing bool // one isn't there at all
}

func (e *Lost) Error() string {
	text := fmt.Sprintf("key %q of generation %d is damaged, and can't be mended", e.Keys[0], e.number)
	if more := len(e.Keys) - 1; more > 0 {
		text += fmt.Sprintf("; so are %d more", more)
	}
	return text
}

// ErrNotMounted says that a key isn't mounted, or has other bytes there.
var ErrNotMounted = errors.New("it isn't mounted")

// BytesOf writes what a key has by now in its volume to a file, and returns its hash.
// [ErrNotMounted] says that there is no such key any more.
type BytesOf func(p lines.Key, f File, to io.Writer) (files.Hash, error)

// Mend makes a generation's directory what was written: the app's user, an
// entrypoint or a hook may have changed it. Strangers go, and modes and owners are set
// right, also of directories. mounted may be nil: then no volume is asked, and no bytes come
// back. The error is a [*Lost] if nothing else is wrong.
func (c *Store) Mend(g *Copy, mounted BytesOf) error {
	gens, name := c.state.Generations, strconv.Itoa(g.Number)
	if info, err := gens.Lstat(name); err != nil || !info.IsDir() {
		if err := errors.Join(gens.RemoveAll(name), files.MakeDir(gens, name)); err != nil {
			return fmt.Errorf("cannot mend generation %d: %w", g.Number, files.Cause(err))
		}
	} else if info.Mode() != fs.ModeDir|files.DirMode || !files.Ours(info) {
		_ = setAttributesOf(gens, name, aDir())
	}
	return c.mendAll(g, func(root *os.Root, f flaw) error { return mendFlaw(g, root, f, g.Files[f.path], mounted) })
}

// errLeft says that a flaw stays.
var errLeft = errors.New("it stays")

// Heal gives the files of a generation back their bytes, while the app works with it. Modes,
// owners and strangers stay as an entrypoint may have made them, until the generation is
// put in force the next time.
func (c *Store) Heal(g *Copy, mounted BytesOf) error {
	parts := c.partsOf(g)
	err := c.mendAll(g, func(root *os.Root, f flaw) error {
		want, isFile := g.Files[f.path]
		_, inTheWay := parts[f.path]
		if f.kind == attributes || f.kind == added && (!inTheWay || isFile && !want.isMounted(f.path, mounted)) {
			return errLeft
		}
		return mendFlaw(g, root, f, want.asFound(root, f.path), mounted)
	})
	if errors.Is(err, fs.ErrNotExist) { // the directory itself is gone
		err = c.Mend(g, mounted)
	}
	return err
}

// asFound is a file with the mode and owner of what has its name by now.
func (f File) asFound(root *os.Root, p lines.Key) File {
	if info, err := root.Lstat(string(p)); err == nil && info.Mode().IsRegular() {
		f.Mode, f.Owner, f.Group = info.Mode().Perm(), files.Owner(info), files.Group(info)
	}
	return f
}

// mendAll mends what is wrong with a generation.
func (c *Store) mendAll(g *Copy, mend func(root *os.Root, f flaw) error) error {
	var mended []lines.Key
	gone := &Lost{number: g.Number}
	err := c.WithDir(g, func(root *os.Root) error {
		return c.inspect(g, root, func(f flaw) error {
			switch err := mend(root, f); {
			case errors.Is(err, ErrNotMounted):
				gone.Keys, gone.Missing = append(gone.Keys, f.path), gone.Missing || f.kind == removed
			case err != nil:
				return files.Ignoring(err, errLeft)
			default:
				mended = append(mended, f.path)
			}
			return nil
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

// mendFlaw mends one flaw. A file becomes what is wanted.
func mendFlaw(g *Copy, root *os.Root, f flaw, want File, mounted BytesOf) error {
	_, isFile := g.Files[f.path]
	switch {
	case f.kind == added:
		return root.RemoveAll(string(f.path))
	case f.kind == attributes && isFile:
		return setAttributesOf(root, string(f.path), want)
	case f.kind == attributes:
		return setAttributesOf(root, string(f.path), aDir())
	case isFile && !want.isMounted(f.path, mounted):
		return ErrNotMounted
	case isFile:
		return place(root, f.path, want, mounted)
	}
	return files.MakeDirs(root, string(f.path))
}

// isMounted reports that the volume has the bytes of a file. Nothing is written before that is known.
func (f File) isMounted(p lines.Key, mounted BytesOf) bool {
	if mounted == nil {
		return false
	}
	sum, err := mounted(p, f, io.Discard)
	return err == nil && sum == f.Sum
}

// place makes a file of what is mounted, if that has the file's hash, by rename(2): a reader
// finds the old file or the new one, whole.
func place(root *os.Root, p lines.Key, f File, mounted BytesOf) error {
	name := string(p)
	if err := files.MakeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(name), files.TmpName())
	out, err := root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum, err := mounted(p, f, out)
	if err == nil && sum != f.Sum || err != nil && !errors.Is(err, unix.ENOSPC) {
		err = ErrNotMounted
	}
	if err = errors.Join(err, f.give(files.Raw(out.Fd())), out.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

// aDir has the attributes of a generation's directories.
func aDir() File {
	return File{Mode: files.DirMode, Owner: uint32(files.Euid), Group: uint32(os.Getegid())}
}

// setAttributesOf sets the owner, group and mode of what has a name.
func setAttributesOf(root *os.Root, name string, f File) error {
	if err := root.Lchown(name, int(f.Owner), int(f.Group)); err != nil {
		return err
	}
	return files.Chmod(root, name, f.Mode)
}
