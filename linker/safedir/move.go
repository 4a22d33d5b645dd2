package safedir

import (
	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Unsupported reports that renameat2(2) can't do what was asked: on NFS, in
// gVisor, under a seccomp profile that doesn't know it, or with a directory of
// a lower layer of overlayfs. EPERM may also be a real refusal: then the other
// ways fail, too.
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
	f, err := files.OpenAt(d.fd, name, unix.O_PATH, 0)
	if err != nil {
		return
	}
	if st, err := f.Stat(); err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		_ = unix.Fchownat(int(f), "", int(owner), int(group), unix.AT_EMPTY_PATH)
	}
	f.Close()
}
