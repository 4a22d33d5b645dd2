package seed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unsafe"

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
	if err == nil && from.Mounted(name) {
		return c.say("left out", path, "something is mounted there")
	}
	in := files.Raw(-1)
	if err == nil && (st.IsRegular() || st.IsDir()) {
		in, err = from.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return c.say("left out", path, err.Error())
	case err != nil:
	case st.IsDir():
		in.Close()
		sub, err := from.Enter(name, false)
		if err != nil {
			return err
		}
		defer sub.Close()
		return c.dir(sub, to, as)
	case st.IsLink():
		err = c.link(from, name, &st, to, as)
	case st.IsRegular():
		err = c.file(from, name, &st, in, to, as)
	default:
		return c.say("left out", path, "it is a device, a FIFO or a socket")
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", path, err)
	}
	return err
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
			err = c.attributes(from.Join("."), in, out, &from.St, from.Writable("."))
		}
		in.Close()
		out.Close()
	}
	made.Close()
	return err
}

// file copies a regular file, and no more of it than was counted.
func (c *work) file(from *safedir.Dir, name string, st *files.Stat, in files.Raw, to *safedir.Dir, as string) error {
	defer in.Close()
	c.files++
	c.bytes += st.Size
	if to == nil {
		return nil
	}
	return to.Create(as, func(out files.Raw) error {
		_, err := io.Copy(out, io.LimitReader(in, st.Size))
		if err == nil {
			err = c.attributes(from.Join(name), in, out, st, from.Writable(name))
		}
		return err
	})
}

// link copies a symlink, which is never followed. It has its owner as far as the kernel permits.
func (c *work) link(from *safedir.Dir, name string, st *files.Stat, to *safedir.Dir, as string) error {
	c.files++
	if to == nil {
		return nil
	}
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

// maxXattr is the most bytes of a list of extended attributes, and of one of them: xattr(7).
const maxXattr = 64 << 10

// attributes gives a copy what else its source has. Times come before the owner: only who has a
// file sets them. A copy that became the user's own, of what he may not write to, is shut to him.
func (c *work) attributes(path string, in, out files.Raw, st *files.Stat, may error) error {
	c.xattrs(path, int(in), int(out))
	mode := st.Mode & 0o7777
	given := uint32(unix.S_ISUID) // rights to who runs it
	if st.IsRegular() {
		given |= unix.S_ISGID
	}
	if mode&given != 0 {
		_ = c.say("not kept", path, "the bits set-user-ID and set-group-ID")
	}
	setTimes(out, st)
	mode &^= given
	err := files.Give(int(out), mode, st.Uid, st.Gid)
	var made files.Stat
	if err == nil {
		made, err = out.Stat()
	}
	if own := ownMode(mode, st, may); err == nil && made.Uid != st.Uid && own != mode {
		err = unix.Fchmod(int(out), own)
	}
	return err
}

// ownMode is the mode of a copy that became the user's own. Of a file that others may not read the
// copy is that user's alone, as LimitMode of linker/volume has it.
func ownMode(mode uint32, st *files.Stat, may error) uint32 {
	if may == unix.EACCES {
		mode &^= 0o222
	}
	if files.Euid != 0 && st.IsRegular() && mode&0o004 == 0 {
		mode = mode&0o700 | 0o400
	}
	return mode
}

// setTimes is futimens(3), by which x/sys has utimensat(2) only for a path.
func setTimes(f files.Raw, st *files.Stat) {
	times := [2]unix.Timespec{st.Atim, st.Mtim}
	_, _, _ = unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(f), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
}

// xattrs copies extended attributes, and names those that it can't. A label of security.* is the
// system's, which gives the copy its own. Capabilities give rights to who runs a program:
// capabilities(7).
func (c *work) xattrs(path string, in, out int) {
	buffer := make([]byte, maxXattr)
	n, _ := unix.Flistxattr(in, buffer) // an error: the file system has none
	for _, name := range strings.Split(string(buffer[:max(n, 0)]), "\x00") {
		label := strings.HasPrefix(name, "security.")
		if name == "" || label && name != "security.capability" {
			continue
		}
		n, err := unix.Fgetxattr(in, name, buffer)
		if label {
			err = unix.EPERM
		}
		if err == nil {
			err = unix.Fsetxattr(out, name, buffer[:n], 0)
		}
		if err != nil {
			_ = c.say("not kept", path, name+": "+err.Error())
		}
	}
}
