package safedir

import (
	"errors"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Create makes a file for confit's user alone, and calls fill with it. What isn't filled goes.
func (d *Dir) Create(name string, fill func(files.Raw) error) error {
	f, err := files.OpenAt(d.fd, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
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

// Put is [Dir.Create] of a file that replaces another one: who opens that name finds
// the old one or the new one, whole. A symlink there is replaced, too.
func (d *Dir) Put(name string, fill func(files.Raw) error) error {
	return d.Replace(name, func(tmp string) error { return d.Create(tmp, fill) })
}

// Replace has something made under a temporary name, and replaces by it what has the name, by rename(2).
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

// makeAs makes a directory, has its mode set through the descriptor, and enters it. Who may write to this one may have
// exchanged it by now. So it must be confit's own and empty.
func (d *Dir) makeAs(name string, set func(made int) error) (*Dir, error) {
	if err := again(func() error { return unix.Mkdirat(d.fd, name, 0o700) }); err != nil {
		return nil, err
	}
	f, err := d.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err == unix.EACCES && d.Chmod(name, 0o700) == nil { // the umask keeps even confit out
		f, err = d.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	made, err := (&Dir{fd: int(f.Fd()), path: d.Join(name)}).open(".") // whatever has the name by now
	if err == nil && (made.St.Uid != uint32(files.Euid) || !isEmpty(f)) {
		err = ErrReplaced
	}
	if err == nil {
		err = set(int(f.Fd()))
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

// MakeLike makes a directory with the owner, group and mode of another one in the directory, as far as the kernel permits, but
// never set-user-ID.
func (d *Dir) MakeLike(name, other string) error {
	st, err := d.Stat(other)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	if err != nil {
		return err
	}
	return Made(d.makeAs(name, func(made int) error { return files.Give(made, st.Mode&0o3777, st.Uid, st.Gid) }))
}

// Chmod sets the mode of a file or directory, through a descriptor: by name that is fchmodat2(2), which
// many seccomp profiles refuse. Where confit may not open what it owns, it is set by name.
func (d *Dir) Chmod(name string, mode uint32) error {
	f, err := files.OpenAt(d.fd, name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return unix.Fchmodat(d.fd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
	}
	defer f.Close()
	return unix.Fchmod(int(f), mode)
}

// Chown sets the owner and group of what has a name.
func (d *Dir) Chown(name string, owner, group uint32) error {
	return unix.Fchownat(d.fd, name, int(owner), int(group), unix.AT_SYMLINK_NOFOLLOW)
}
