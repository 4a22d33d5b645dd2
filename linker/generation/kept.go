package generation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
)

// A generation is one copy of its keys, which lie in the volumes, too. What no volume holds
// any more is kept once more, in a file that is named after its SHA-256 and that only
// confit's user may read: the old bytes of a key that has changed, what a renderer made,
// what came from the fallback.

const keptMode = 0o600

// Keep makes sure that each file of a generation has a second copy: among the keys that are
// mounted or in kept. What a kill leaves half done there SweepKept removes.
func (c *Store) Keep(g *Copy, mounted map[lines.Key]File) error {
	return c.WithDir(g, func(root *os.Root) error {
		for p, f := range g.Files {
			if m := mounted[p]; f.Direct || m.Sum == f.Sum && !m.Direct && !lines.IsRendered(p) {
				continue
			}
			if err := c.keepFile(f.Sum, c.from(root, string(p))); err != nil {
				return fmt.Errorf("cannot keep key %q of generation %d in state directory %q: %w", p, g.Number, c.state.Path, files.Cause(err))
			}
		}
		return nil
	})
}

// keepFile keeps what has a hash, unless that is kept. Other bytes aren't: that is said
// when the generation is mended.
func (c *Store) keepFile(sum files.Hash, fill func(to io.Writer) (files.Hash, error)) error {
	out, err := c.state.Kept.OpenFile(sum.Hex(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, keptMode)
	if err != nil {
		return files.Ignoring(err, fs.ErrExist)
	}
	got, err := fill(out)
	if err = errors.Join(err, out.Close()); err != nil || got != sum {
		_ = c.state.Kept.Remove(sum.Hex())
	}
	if errors.Is(err, unix.ENOSPC) {
		return err
	}
	return nil
}

// aDir has the attributes of a generation's directories.
func aDir() File {
	return File{Mode: files.DirMode, Owner: uint32(files.Euid), Group: uint32(os.Getegid())}
}

// SweepKept removes what no generation needs. What it doesn't trust it reads, and
// removes what is damaged: restore trusts nothing.
func (c *Store) SweepKept(trusted bool) {
	names, _ := files.ReadNames(c.state.Kept)
	if len(names) == 0 {
		return
	}
	needed := map[string]bool{}
	for _, g := range c.generations {
		for _, f := range g.Files {
			needed[f.Sum.Hex()] = true
		}
	}
	for _, name := range names {
		if !needed[name] || !trusted && !c.isIntact(name) {
			files.RemoveAll(c.state.Kept, name)
		}
	}
}

// isIntact reports whether the bytes of what is kept have the hash of its name.
func (c *Store) isIntact(name string) bool {
	sum, err := c.from(c.state.Kept, name)(io.Discard)
	return err == nil && sum.Hex() == name
}

// ErrNoCopy says that the bytes of a key aren't where they were looked for.
var ErrNoCopy = errors.New("no copy is left")

// BytesOf writes what a key has by now to a file, and returns its hash. [ErrNoCopy] says
// that there is no such key any more.
type BytesOf func(p lines.Key, f File, to io.Writer) (files.Hash, error)

// restore puts a file of a generation back: from what is kept, from another generation or, if
// that may be asked, from what is mounted.
func (c *Store) restore(g *Copy, root *os.Root, p lines.Key, mounted BytesOf) error {
	f := g.Files[p]
	err := c.place(root, string(p), f, c.from(c.state.Kept, f.Sum.Hex()))
	for _, other := range c.generations {
		if errors.Is(err, ErrNoCopy) && other != g && other.Files[p].Sum == f.Sum {
			err = c.WithDir(other, func(from *os.Root) error { return c.place(root, string(p), f, c.from(from, string(p))) })
		}
	}
	if errors.Is(err, ErrNoCopy) && mounted != nil {
		err = c.place(root, string(p), f, func(to io.Writer) (files.Hash, error) { return mounted(p, f, to) })
	}
	return err
}

// from copies a file.
func (c *Store) from(root *os.Root, name string) func(to io.Writer) (files.Hash, error) {
	return func(to io.Writer) (files.Hash, error) {
		in, _, err := files.OpenRegular(root, name)
		if err != nil {
			return files.Hash{}, err
		}
		defer in.Close()
		return c.Copy(in, to)
	}
}

// place makes a file of the bytes that fill writes, if they have the file's hash, by
// rename(2): a reader finds the old file or the new one, whole.
func (c *Store) place(root *os.Root, name string, f File, fill func(to io.Writer) (files.Hash, error)) error {
	if err := files.MakeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(name), files.TmpName())
	out, err := root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum, err := fill(out)
	if err == nil && sum != f.Sum || err != nil && !errors.Is(err, unix.ENOSPC) {
		err = ErrNoCopy
	}
	if err = errors.Join(err, f.give(files.Raw(out.Fd())), out.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}
