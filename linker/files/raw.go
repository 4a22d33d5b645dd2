package files

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// Raw is the descriptor of a regular file that is copied. An [os.File] asks the
// runtime first whether it can wait for the file; epoll_ctl(2) refuses that for
// each regular file.
type Raw int

// OpenAt opens a name in a directory, and follows no link.
func OpenAt(dir int, name string, flags int, mode uint32) (Raw, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return Raw(fd), err
		}
	}
}

// ReadlinkAt is where a symlink in a directory leads.
func ReadlinkAt(dir int, name string) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(dir, name, buf[:])
	return string(buf[:max(n, 0)]), err
}

// Read is read(2).
func (f Raw) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write is write(2), until all is written.
func (f Raw) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = unix.Write(int(f), p[n:])
		if errors.Is(err, unix.EINTR) {
			m, err = 0, nil
		}
		n += max(m, 0)
	}
	return n, err
}

// Rewind goes back to the beginning.
func (f Raw) Rewind() error {
	_, err := unix.Seek(int(f), 0, io.SeekStart)
	return err
}

// Stat is fstat(2).
func (f Raw) Stat() (st unix.Stat_t, err error) {
	err = unix.Fstat(int(f), &st)
	return st, err
}

// Close is close(2).
func (f Raw) Close() error { return unix.Close(int(f)) }

// Give gives a copy, which was made for confit's user alone, the group, mode and owner of
// its source, in this order. So nobody else can read it in between, and confit
// sets the mode before it gives the file away. It gives group and owner as far
// as the kernel permits. A mode that can't be set is an error.
func Give(fd int, mode, owner, group uint32) error {
	if err := permitted(unix.Fchown(fd, -1, int(group))); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		return err
	}
	if int(owner) == Euid {
		return nil
	}
	return permitted(unix.Fchown(fd, int(owner), -1))
}

// permitted is nil if a file can't be given to somebody here: only root may,
// chown(2); the user namespace doesn't map the owner or group, EINVAL of
// user_namespaces(7); a seccomp profile or the file system doesn't offer the
// call.
func permitted(err error) error {
	return Ignoring(err, unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP)
}
