package safedir

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Create makes a file for confit's user alone, and calls fill with it. What isn't filled goes.
func (d *Dir) Create(name string, fill func(files.Raw) error) error {
	f, err := d.OpenFile(name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = d.Remove(name)
	}
	return err
}

// Bytes fills a file with bytes, and sets its mode.
func Bytes(data []byte, mode uint32) func(files.Raw) error {
	return func(f files.Raw) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return unix.Fchmod(int(f), mode)
	}
}

// Put is [Dir.Create] of a file that replaces another one, or a symlink: who opens that name finds
// old or new, whole.
func (d *Dir) Put(name string, fill func(files.Raw) error) error {
	return d.Replace(name, func(tmp string) error { return d.Create(tmp, fill) })
}

// Replace has something made under a temporary name, and replaces by it what has the name, by
// rename(2).
func (d *Dir) Replace(name string, makes func(tmp string) error) error {
	tmp := files.TmpName()
	err := makes(tmp)
	if err == nil {
		err = d.Rename(tmp, name, 0)
	}
	if err != nil {
		_ = d.Remove(tmp)
	}
	return err
}

// ErrReplaced says that something else has the name of what was made or looked at.
var ErrReplaced = errors.New("it was replaced meanwhile")

// Make makes a directory with just this mode, and enters it.
func (d *Dir) Make(name string, mode uint32) (*Dir, error) {
	return d.makeAs(name, func(made int) error { return unix.Fchmod(made, mode) })
}

// makeAs makes a directory, has its mode set through the descriptor, and enters it. Who may write
// to this one may have exchanged it by now. So it must be confit's own and empty.
func (d *Dir) makeAs(name string, set func(made int) error) (*Dir, error) {
	if err := again(func() error { return unix.Mkdirat(d.fd, name, 0o700) }); err != nil {
		return nil, err
	}
	made, err := d.open(name)
	if err != nil {
		return nil, err
	}
	fd, err := made.forReading()
	if err == unix.EACCES && d.Chmod(name, 0o700) == nil { // the umask keeps even confit out
		fd, err = made.forReading()
	}
	if err == nil {
		defer fd.Close()
		var in []fs.DirEntry
		if in, err = made.List(); err == nil && (made.St.Uid != uint32(files.Euid) || len(in) > 0) {
			err = ErrReplaced
		}
	}
	if err == nil {
		err = set(int(fd))
	}
	if err == nil {
		made.St, err = fd.Stat() // the umask no longer counts
	}
	if err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// Made is the error of a directory that is only made, or made sure of: it is closed.
func Made(d *Dir, err error) error {
	if err == nil {
		d.Close()
	}
	return err
}

// MakeLike makes a directory with owner, group and mode of another one here, as far as permitted,
// but never set-user-ID.
func (d *Dir) MakeLike(name, other string) error {
	st, err := d.Stat(other)
	if err == nil && !st.IsDir() {
		err = unix.ENOTDIR
	}
	if err != nil {
		return err
	}
	return Made(d.makeAs(name, func(made int) error { return files.Give(made, st.Mode&0o3777, st.Uid, st.Gid) }))
}

// Chown sets the owner and group of what has a name.
func (d *Dir) Chown(name string, owner, group uint32) error {
	return unix.Fchownat(d.fd, name, int(owner), int(group), unix.AT_SYMLINK_NOFOLLOW)
}

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

// Sweep removes what stale says so of, by name, with all that is in it, as far as that can be
// removed. It reports whether there was anything. The error is that of listing the directory.
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
