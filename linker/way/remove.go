package way

import (
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Remove removes a file, or an empty directory.
func (d *Dir) Remove(name string) error {
	err := again(func() error { return unix.Unlinkat(d.fd, name, 0) })
	if err == unix.EISDIR || err == unix.EPERM {
		if dir := again(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) }); dir != unix.ENOTDIR {
			err = dir
		}
	}
	return err
}

// RemoveAll removes what has a name, with all that is in it, as far as that can be removed. A
// directory in it may be shut to its own user. The error is the first one.
func (d *Dir) RemoveAll(name string) error {
	err := d.Remove(name)
	if err != unix.ENOTEMPTY && err != unix.EEXIST {
		return files.Ignoring(err, unix.ENOENT)
	}
	sub, err := d.Enter(name, false)
	if err != nil {
		return err
	}
	defer sub.Close()
	if sub.St.Mode&0o700 != 0o700 {
		_ = d.Chmod(name, 0o700)
	}
	_, err = sub.Sweep(func(string) bool { return true })
	if removed := d.Remove(name); err == nil {
		err = removed
	}
	return err
}

// Sweep removes what stale says so of, by name, with all that is in it. It reports whether there was
// anything, and the first error.
func (d *Dir) Sweep(stale func(name string) bool) (some bool, err error) {
	entries, err := d.List()
	for _, e := range entries {
		if stale(e.Name()) {
			some = true
			if failed := d.RemoveAll(e.Name()); err == nil {
				err = failed
			}
		}
	}
	return some, err
}

// IsTemporary reports a name that a killed confit has left.
func IsTemporary(name string) bool { return strings.HasPrefix(name, files.TmpPrefix) }
