package generation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

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

// BytesOf writes what a key has by now in its volume to a file, and returns its hash. [ErrNotMounted] says that there is no such key any
// more. A key that somebody has changed gets its bytes back from there, for as long as they are the same.
type BytesOf func(p lines.Key, f File, to io.Writer) (files.Hash, error)

// Mend makes a generation's directory what was written: the app's user, an entrypoint or a hook may have changed it. Strangers go, and
// modes and owners are set right, also of directories. mounted may be nil: then no volume is asked, and no bytes come back. The error is a
// [*Lost] if nothing else is wrong.
func (c *Store) Mend(g *Copy, mounted BytesOf) error { return c.mend(g, mounted, false) }

// Heal gives the files of a generation back their bytes, while the app works with it. Modes, owners and strangers stay as an entrypoint may
// have made them, until the generation is put in force the next time.
func (c *Store) Heal(g *Copy, mounted BytesOf) error { return c.mend(g, mounted, true) }

func (c *Store) mend(g *Copy, mounted BytesOf, heals bool) error {
	var mended []lines.Key
	gone := &Lost{number: g.Number}
	parts := c.partsOf(g)
	err := c.inspect(g, func(f flaw) error {
		want, isFile := g.Files[f.path]
		_, inTheWay := parts[f.path]
		if heals && (f.kind == attributes || f.kind == added && (!inTheWay || isFile && want.isMounted(f.path, mounted) != nil)) {
			return nil
		}
		switch err := c.mendFlaw(g, f, mounted, heals); {
		case errors.Is(err, ErrNotMounted):
			gone.Keys, gone.Missing = append(gone.Keys, f.path), gone.Missing || f.kind == removed
		case err != nil:
			return err
		default:
			mended = append(mended, f.path)
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("cannot mend generation %d: %w", g.Number, err)
	case len(mended) > 0:
		c.Log.Warn("generation mended: somebody had changed it", "generation", g.Number, "path", mended[0], "changes", len(mended))
	}
	if len(gone.Keys) == 0 {
		return nil
	}
	slices.Sort(gone.Keys)
	return gone
}

// mendFlaw mends one flaw. With heals, a file keeps the mode and owner of what has its name by now.
func (c *Store) mendFlaw(g *Copy, f flaw, mounted BytesOf, heals bool) error {
	return c.at(g, f.path, func(in *safedir.Dir, name string) error {
		want, isFile := g.Files[f.path]
		if !isFile {
			want = aDir()
		}
		switch {
		case f.kind == added:
			return in.RemoveAll(name)
		case f.kind == attributes:
			return errors.Join(in.Chown(name, want.Owner, want.Group), in.Chmod(name, uint32(want.copyMode())))
		case !isFile:
			return safedir.Made(in.Enter(name, true))
		}
		if err := want.isMounted(f.path, mounted); err != nil {
			return err
		}
		if heals {
			want = want.asFound(in, name)
		}
		return in.Put(name, func(out files.Raw) error {
			sum, err := mounted(f.path, want, out)
			if err == nil && sum != want.Sum || err != nil && !errors.Is(err, unix.ENOSPC) && !files.MayPass(err) {
				err = ErrNotMounted
			}
			return errors.Join(err, want.give(out))
		})
	})
}

// at calls do with the directory of a part of a generation, and with its name there.
func (c *Store) at(g *Copy, p lines.Key, do func(in *safedir.Dir, name string) error) error {
	return c.State.Generations.In(path.Join(dirOf(g), string(p)), true, do)
}

// asFound is a file with the mode and owner of what has its name by now.
func (f File) asFound(in *safedir.Dir, name string) File {
	if st, err := in.Stat(name); err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
		f.Mode, f.Owner, f.Group, f.Alone = fs.FileMode(st.Mode&0o777), st.Uid, st.Gid, false
	}
	return f
}

// isMounted is nil if the volume has the bytes of a file, [ErrNotMounted] if it hasn't. Nothing is written before that is known.
func (f File) isMounted(p lines.Key, mounted BytesOf) error {
	if mounted == nil {
		return ErrNotMounted
	}
	sum, err := mounted(p, f, io.Discard)
	if err == nil && sum == f.Sum || files.MayPass(err) {
		return err
	}
	return ErrNotMounted
}

// aDir has the attributes of a generation's directories.
func aDir() File {
	return File{Mode: files.DirMode, Owner: uint32(files.Euid), Group: uint32(os.Getegid())}
}
