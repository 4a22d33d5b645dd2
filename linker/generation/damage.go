package generation

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// Damaged is the error of keys that are missing, or have not the bytes that were written.
type Damaged struct {
	number  int
	Keys    []lines.Key
	Missing bool // one isn't there at all
}

func (e *Damaged) Error() string {
	text := fmt.Sprintf("key %q of generation %d is damaged", e.Keys[0], e.number)
	if more := len(e.Keys) - 1; more > 0 {
		text += fmt.Sprintf("; so are %d more", more)
	}
	return text
}

// Compare finds out whether each key of a generation is there, and has its bytes; else the error is
// a [*Damaged]. A mode or an owner alone is no damage, as an entrypoint may have set it, unless it
// keeps confit out; nor is a name too many. With byName it opens no key, and only finds out whether
// each is there.
func (c *Store) Compare(g *Stored, byName bool) error {
	return c.damage(g, byName, func(flaw) error { return nil })
}

// Restore makes a generation's directory what was written, as far as that needs no bytes: the app's
// user, an entrypoint or a hook may have changed it. Strangers go, and modes and owners are set
// right, also of directories. Then the error is that of Compare.
func (c *Store) Restore(g *Stored) error {
	changes := 0
	err := c.damage(g, false, func(f flaw) error {
		changes++
		return c.at(g, f.path, func(in *safedir.Dir, name string) error {
			if f.kind == added {
				return in.RemoveAll(name)
			}
			want, isFile := g.Files[f.path]
			if !isFile {
				want = aDir()
			}
			return errors.Join(in.Chown(name, want.Owner, want.Group), in.Chmod(name, uint32(want.copyMode())))
		})
	})
	if changes > 0 {
		c.Log.Warn("generation restored: somebody had changed modes, owners or names", "generation", g.Number,
			"changes", changes)
	}
	return err
}

// damage lists the keys that are damaged, makes directories that are missing, and calls found with
// all other flaws.
func (c *Store) damage(g *Stored, byName bool, found func(flaw) error) error {
	d := &Damaged{number: g.Number}
	err := c.inspect(g, byName, func(f flaw) error {
		_, isFile := g.Files[f.path]
		switch {
		case f.kind == added, f.kind == attributes:
			return found(f)
		case isFile:
			d.Keys, d.Missing = append(d.Keys, f.path), d.Missing || f.kind == removed
			return nil
		}
		err := c.at(g, f.path, func(in *safedir.Dir, name string) error { return safedir.Made(in.Enter(name, true)) })
		return files.Ignoring(err, unix.ENOTDIR, unix.ELOOP) // something else is in its place
	})
	switch {
	case err != nil:
		return fmt.Errorf("cannot compare generation %d with what was written: %w", g.Number, err)
	case len(d.Keys) == 0:
		return nil
	}
	slices.Sort(d.Keys)
	return d
}

// Replace puts a copy that was written under another name in the place of a damaged generation.
// Each name keeps the mode and owner of what stands there, and what others have added moves with
// it. Who reads meanwhile has the one or the other, whole.
func (c *Store) Replace(g, again *Stored, written string) error {
	all := c.State.Generations
	for p := range c.partsOf(g) {
		_ = c.at(g, p, func(in *safedir.Dir, name string) error {
			return all.In(path.Join(written, string(p)), false,
				func(to *safedir.Dir, as string) error { return keepLooks(in, to, name, as) })
		})
	}
	var strangers []lines.Key
	err := c.inspect(g, true, func(f flaw) error {
		if f.kind == added && f.path != "." {
			strangers = append(strangers, f.path)
		}
		return nil
	})
	former := written
	if err == nil {
		err = all.Rename(written, dirOf(g), unix.RENAME_EXCHANGE)
	}
	if err == unix.ENOENT || safedir.Unsupported(err) {
		former = files.TmpName()
		_ = all.Rename(dirOf(g), former, 0) // as a rule there is none
		err = all.Rename(written, dirOf(g), 0)
	}
	if err != nil {
		return err
	}
	g.stamps, g.ended = again.stamps, again.ended
	for _, p := range strangers { // one that was in the way goes
		_ = all.In(path.Join(former, string(p)), false, func(in *safedir.Dir, name string) error {
			return c.at(g, p, func(to *safedir.Dir, _ string) error { return in.MoveTo(to, name) })
		})
	}
	return all.RemoveAll(former)
}

// keepLooks gives a part of a copy the mode and owner of what it will replace, if that is of the
// same kind and confit may read it. It never gives a set-user-ID bit.
func keepLooks(in, to *safedir.Dir, name, as string) error {
	was, err := in.Stat(name)
	if err != nil {
		return err
	}
	is, err := to.Stat(as)
	isSameKind := err == nil && (was.Mode^is.Mode)&unix.S_IFMT == 0
	if !isSameKind || in.Readable(name) != nil {
		return err
	}
	return errors.Join(to.Chown(as, was.Uid, was.Gid), to.Chmod(as, was.Mode&0o777))
}

// at calls do with the directory of a part of a generation, and with its name there.
func (c *Store) at(g *Stored, p lines.Key, do func(in *safedir.Dir, name string) error) error {
	return c.State.Generations.In(path.Join(dirOf(g), string(p)), true, do)
}

// aDir has the attributes of a generation's directories.
func aDir() File {
	return File{Mode: files.DirMode, Owner: uint32(files.Euid), Group: uint32(os.Getegid())}
}
