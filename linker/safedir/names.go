package safedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/mounts"
)

// What is done to a name in the directory. A signal interrupts none of it.

// OpenFile opens a file in the directory, and follows no link.
func (d *Dir) OpenFile(name string, flags int, mode uint32) (files.Raw, error) {
	return files.OpenAt(d.fd, name, flags, mode)
}

// OpenRegular opens a regular file for reading. What is none isn't waited for, nor opened unless it
// came just now.
func (d *Dir) OpenRegular(name string) (f files.Raw, st files.Stat, err error) {
	if st, err = d.Stat(name); err != nil {
		return f, st, err
	}
	if !st.IsRegular() {
		return f, st, errors.New("it is " + d.Describe(name))
	}
	if f, err = d.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0); err != nil {
		return f, st, err
	}
	if st, err = f.Stat(); err == nil && !st.IsRegular() {
		err = ErrReplaced
	}
	if err != nil {
		f.Close()
	}
	return f, st, err
}

// Read reads a regular file, if trust is given to what is known of it, and it has no more bytes
// than that. The error is that of trust, too.
func (d *Dir) Read(name string, most int64, trust func(*files.Stat) error) ([]byte, error) {
	f, st, err := d.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := trust(&st); err != nil {
		return nil, err
	}
	var data []byte
	if st.Size <= most {
		data, err = io.ReadAll(io.LimitReader(f, most+1))
	}
	if n := max(int64(len(data)), st.Size); err == nil && n > most {
		return nil, TooLarge(n, most)
	}
	return data, err
}

// TooLarge is the error of a file that is larger than any that confit writes.
func TooLarge(size, most int64) error {
	return fmt.Errorf("it has %d bytes, and may have %d", size, most)
}

// Describe says for a message what has a name, with its article.
func (d *Dir) Describe(name string) string {
	info, err := os.Lstat(d.Join(name))
	if err != nil {
		return "nothing"
	}
	return files.Describe(info.Mode())
}

// List lists the directory in order.
func (d *Dir) List() ([]fs.DirEntry, error) {
	fd, err := d.forReading()
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, files.Cause(err)
}

// Raw is the directory's descriptor, which is of O_PATH.
func (d *Dir) Raw() files.Raw { return files.Raw(d.fd) }

// forReading opens the directory itself once more, with the right to list what is in it.
func (d *Dir) forReading() (files.Raw, error) {
	return d.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
}

// Writable is the error of writing to a name that is no symlink; "." is the directory itself.
func (d *Dir) Writable(name string) error {
	return unix.Faccessat(d.fd, name, unix.W_OK, unix.AT_EACCESS)
}

// Readable is the error of reading what has a name, and is no symlink.
func (d *Dir) Readable(name string) error {
	return unix.Faccessat(d.fd, name, unix.R_OK, unix.AT_EACCESS)
}

// Unshut does what needs the right to make names in the directory. One that is shut to its own
// user, as --seed leaves what he couldn't write to in the image, is open to him meanwhile.
func (d *Dir) Unshut(do func() error) error {
	if int(d.St.Uid) != files.Euid || d.Writable(".") != unix.EACCES {
		return do()
	}
	mode := d.St.Mode & 0o7777
	_ = d.Chmod(".", mode|unix.S_IWUSR) // an error: do says why it can't be
	err := do()
	_ = d.Chmod(".", mode)
	return err
}

// Empty reports whether a name is that of a directory in which nothing is.
func (d *Dir) Empty(name string) bool {
	sub, err := d.open(name)
	if err != nil {
		return false
	}
	defer sub.Close()
	in, err := sub.List()
	return err == nil && len(in) == 0
}

// Close closes the directory, unless it is nil.
func (d *Dir) Close() {
	if d != nil {
		_ = unix.Close(d.fd)
	}
}

// Join is the path of a name in the directory, for messages.
func (d *Dir) Join(name string) string { return path.Join(d.path, name) }

// again makes a system call that a signal may interrupt.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// Rename is renameat2(2) from one name to another, with its flags. Without a flag it replaces what
// has the other name.
func (d *Dir) Rename(from, to string, flags uint) error {
	return again(func() error {
		if flags == 0 {
			return unix.Renameat(d.fd, from, d.fd, to)
		}
		return unix.Renameat2(d.fd, from, d.fd, to, flags)
	})
}

// MoveTo moves a name to another directory of the same file system, where it is to be free.
func (d *Dir) MoveTo(to *Dir, name string) error {
	if !to.Missing(name) {
		return unix.EEXIST
	}
	return again(func() error { return unix.Renameat(d.fd, name, to.fd, name) })
}

// Stat looks at a name itself, and follows no link.
func (d *Dir) Stat(name string) (st files.Stat, err error) {
	err = again(func() error { return unix.Fstatat(d.fd, name, &st.Stat_t, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

// Is reports whether a name is that of a file.
func (d *Dir) Is(name string, file files.Stat) bool {
	now, err := d.Stat(name)
	return err == nil && now.Same(file)
}

// Symlink makes a symlink. It never replaces.
func (d *Dir) Symlink(dest, name string) error {
	return again(func() error { return unix.Symlinkat(dest, d.fd, name) })
}

// Readlink is where a symlink leads.
func (d *Dir) Readlink(name string) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(d.fd, name, buf[:])
	return string(buf[:max(n, 0)]), err
}

// Link gives a file a second name. It never replaces.
func (d *Dir) Link(from, to string) error {
	return again(func() error { return unix.Linkat(d.fd, from, d.fd, to, 0) })
}

// Mounted reports a mount on a name that is no symlink. statx(2) tells that since Linux 5.8, unless
// seccomp refuses it.
func (d *Dir) Mounted(name string) bool {
	var st unix.Statx_t
	err := unix.Statx(d.fd, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	if err == nil && st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	}
	return mounts.IsPoint(d.Join(name))
}

// Unsupported reports that renameat2(2) can't do what was asked: on NFS, in gVisor, under a seccomp
// profile that doesn't know it, or with a directory of a lower layer of overlayfs. Where EPERM is a
// real refusal, other ways fail, too.
func Unsupported(err error) bool {
	return err != nil && files.Ignoring(err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.EXDEV, unix.EPERM) == nil
}

// Move renames to a name that must be free.
func (d *Dir) Move(from, to string) error {
	err := d.Rename(from, to, unix.RENAME_NOREPLACE)
	if !Unsupported(err) {
		return err
	}
	if !d.Missing(to) {
		return unix.EEXIST
	}
	return d.Rename(from, to, 0)
}

// Missing reports a name that isn't there.
func (d *Dir) Missing(name string) bool {
	_, err := d.Stat(name)
	return err == unix.ENOENT
}

// GiveLink gives a symlink to an owner and a group, as far as the kernel permits. What is no
// symlink stays as it is.
func (d *Dir) GiveLink(name string, owner, group uint32) {
	f, err := d.OpenFile(name, unix.O_PATH, 0)
	if err != nil {
		return
	}
	if st, err := f.Stat(); err == nil && st.IsLink() {
		_ = unix.Fchownat(int(f), "", int(owner), int(group), unix.AT_EMPTY_PATH)
	}
	f.Close()
}
