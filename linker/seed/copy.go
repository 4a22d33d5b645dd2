package seed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// each calls do for each name in a directory, in order, until one fails.
func each(dir *safedir.Dir, do func(name string) error) error {
	entries, err := dir.List()
	for _, e := range entries {
		if err == nil {
			err = do(e.Name())
		}
	}
	return err
}

// tree copies what is in a directory. Without one to copy to, it only counts.
func (c *work) tree(from, to *safedir.Dir) error {
	return each(from, func(name string) error { return c.copy(from, name, to, name) })
}

func (c *work) copy(from *safedir.Dir, name string, to *safedir.Dir, as string) error {
	path := from.Join(name)
	st, err := from.Stat(name)
	kind := st.Mode & unix.S_IFMT
	if err == nil && from.Mounted(name) {
		return c.say("left out", path, "something is mounted there")
	}
	var in *os.File
	if err == nil && (kind == unix.S_IFREG || kind == unix.S_IFDIR) {
		in, err = from.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
		defer in.Close() // nil: it can't be read
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return c.say("left out", path, err.Error())
	case err != nil:
	case kind == unix.S_IFDIR:
		in.Close()
		return c.enter(from, name, to, as)
	case kind != unix.S_IFREG && kind != unix.S_IFLNK:
		return c.say("left out", path, "it is a device, a FIFO or a socket")
	default:
		err = c.leaf(from, name, &st, in, to, as)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", path, files.Cause(err))
	}
	return err
}

func (c *work) enter(from *safedir.Dir, name string, to *safedir.Dir, as string) error {
	sub, err := from.Enter(name, false)
	if err != nil {
		return err
	}
	defer sub.Close()
	return c.dir(sub, to, as)
}

// dir copies a directory. Until it is whole, it is open to nobody else.
func (c *work) dir(from, to *safedir.Dir, as string) error {
	if to == nil {
		return c.tree(from, nil)
	}
	made, err := to.Make(as, 0o700)
	if err != nil {
		return err
	}
	err = c.tree(from, made)
	if err == nil {
		in, err1 := from.OpenFile(".", unix.O_RDONLY, 0)
		out, err2 := made.OpenFile(".", unix.O_RDONLY, 0)
		if err = errors.Join(err1, err2); err == nil {
			err = c.attributes(in, int(out.Fd()), &from.St, from.Writable("."))
		}
		in.Close() // nil: it wasn't opened
		out.Close()
	}
	made.Close()
	return err
}

// leaf copies a regular file, and no more of it than was counted; or a symlink, for which in is nil.
func (c *work) leaf(from *safedir.Dir, name string, st *unix.Stat_t, in *os.File, to *safedir.Dir, as string) error {
	if c.files++; in != nil {
		c.bytes += st.Size
	}
	switch {
	case to == nil:
		return nil
	case in == nil:
		return c.link(from, name, st, to, as)
	}
	return to.Create(as, func(out files.Raw) error {
		_, err := io.Copy(out, io.LimitReader(in, st.Size))
		if err == nil {
			err = c.attributes(in, int(out), st, from.Writable(name))
		}
		return err
	})
}

// link copies a symlink, which is never followed. It has its owner as far as the kernel permits.
func (c *work) link(from *safedir.Dir, name string, st *unix.Stat_t, to *safedir.Dir, as string) error {
	dest, err := from.Readlink(name)
	if err == nil {
		err = to.Symlink(dest, as)
	}
	if err == nil {
		to.GiveLink(as, st.Uid, st.Gid)
	}
	return err
}

// say names what isn't copied as it is.
func (c *work) say(what, path, why string) error {
	if c.w != nil {
		fmt.Fprintf(c.w, "%s: %q: %s\n", what, path, why)
	}
	return nil
}
