package way

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/mounts"
)

// What is done to a name in the directory. A signal interrupts none of it.

// MakeLike makes a directory with another's owner, group and mode, as far as the
// kernel permits, but never set-user-ID. The mode comes last, as chown(2) clears
// set-group-ID.
func (d *Dir) MakeLike(name string, st *unix.Stat_t) error {
	f, err := d.mkdir(name, 0o700)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := unix.Fchown(fd, int(st.Uid), int(st.Gid)); err != nil {
		_ = unix.Fchown(fd, -1, int(st.Gid)) // EPERM: only root may give away
	}
	return unix.Fchmod(fd, st.Mode&0o3777)
}

// OpenFile opens a file in the directory, and follows no link.
func (d *Dir) OpenFile(name string, flags int, mode uint32) (f *os.File, err error) {
	err = again(func() error {
		fd, err := unix.Openat(d.fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err == nil {
			f = os.NewFile(uintptr(fd), d.Join(name))
		}
		return err
	})
	return f, err
}

// List lists the directory.
func (d *Dir) List() ([]fs.DirEntry, error) {
	f, err := d.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// Writable is the error of writing to a name that is no symlink; "." is the directory itself.
func (d *Dir) Writable(name string) error {
	return unix.Faccessat(d.fd, name, unix.W_OK, unix.AT_EACCESS)
}

// Unshut does what needs the right to make names in the directory. One that is shut to its own user, as --seed leaves what he couldn't
// write to in the image, is open to him meanwhile.
func (d *Dir) Unshut(do func() error) error {
	if int(d.St.Uid) != files.Euid || d.Writable(".") != unix.EACCES {
		return do()
	}
	f, err := d.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return do() // which says why it can't be
	}
	defer f.Close()
	mode := d.St.Mode & 0o7777
	_ = unix.Fchmod(int(f.Fd()), mode|unix.S_IWUSR)
	err = do()
	_ = unix.Fchmod(int(f.Fd()), mode)
	return err
}

// Empty reports whether a name is that of a directory in which nothing is.
func (d *Dir) Empty(name string) bool {
	f, err := d.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return isEmpty(f)
}

func isEmpty(f *os.File) bool {
	_, err := f.Readdirnames(1)
	return err == io.EOF
}

// Close closes the directory.
func (d *Dir) Close() { _ = unix.Close(d.fd) }

// Join is the path of a name in the directory, for messages.
func (d *Dir) Join(name string) string { return strings.TrimSuffix(d.path, "/") + "/" + name }

// again makes a system call that a signal may interrupt.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// Rename is renameat2(2) from one name to another, with its flags. Without a flag it replaces
// what has the other name.
func (d *Dir) Rename(from, to string, flags uint) error {
	return again(func() error {
		if flags == 0 {
			return unix.Renameat(d.fd, from, d.fd, to)
		}
		return unix.Renameat2(d.fd, from, d.fd, to, flags)
	})
}

// Stat looks at a name itself, and follows no link.
func (d *Dir) Stat(name string) (st unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

// Remove removes a file, or an empty directory.
func (d *Dir) Remove(name string) error {
	err := again(func() error { return unix.Unlinkat(d.fd, name, 0) })
	if err == unix.EISDIR || err == unix.EPERM {
		err = again(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
	}
	return err
}

// Symlink makes a symlink. It never replaces.
func (d *Dir) Symlink(dest, name string) error {
	return again(func() error { return unix.Symlinkat(dest, d.fd, name) })
}

// Readlink is where a symlink leads.
func (d *Dir) Readlink(name string) (string, error) {
	return files.ReadlinkAt(d.fd, name)
}

// Link gives a file a second name. It never replaces.
func (d *Dir) Link(from, to string) error {
	return again(func() error { return unix.Linkat(d.fd, from, d.fd, to, 0) })
}

// Mounted reports whether something is mounted on a name that is no symlink.
// statx(2) tells that since Linux 5.8, unless a seccomp profile refuses it.
func (d *Dir) Mounted(name string) bool {
	var st unix.Statx_t
	err := unix.Statx(d.fd, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	if err == nil && st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	}
	return mounts.IsPoint(d.Join(name))
}
