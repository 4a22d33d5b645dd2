package safedir

import (
	"cmp"
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
	entries, err := sub.List()
	for _, e := range entries {
		err = cmp.Or(err, sub.RemoveAll(e.Name()))
	}
	return cmp.Or(err, d.Remove(name))
}

// Sweep removes what stale says so of, by name, with all that is in it, as far as that can be removed. It
// reports whether there was anything. The error is that of listing the directory.
func (d *Dir) Sweep(stale func(name string) bool) (some bool, err error) {
	entries, err := d.List()
	for _, e := range entries {
		if stale(e.Name()) {
			some = true
			_ = d.RemoveAll(e.Name())
		}
	}
	return some, err
}

// IsTemporary reports a name that a killed confit has left.
func IsTemporary(name string) bool { return strings.HasPrefix(name, files.TmpPrefix) }
