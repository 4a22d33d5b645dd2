package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

const lockName = "lock"

// lockMode lets only confit's user open the lock: who can open a file can lock
// it, flock(2), and so keep confit from starting.
const lockMode = 0o600

// maxLockAttempts is how often something that isn't confit's lock is put aside.
// It is higher than the number of confits that may start at a time.
const maxLockAttempts = 100

// errNotLocked says that the lock has to be taken anew.
var errNotLocked = errors.New("something keeps replacing the lock")

// takeLock locks the state directory against other confits, by flock(2) on a
// file in it. It puts aside what isn't a file of confit's own: another user's
// file, one that others may open, a FIFO, a link.
func takeLock(root *os.Root, path string) (*os.File, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, Unusable(path, err)
	}
	defer dir.Close()
	err = errNotLocked
	for range maxLockAttempts {
		var lock *os.File
		if lock, err = tryLock(root, int(dir.Fd())); !errors.Is(err, errNotLocked) {
			if err == nil {
				return lock, nil
			}
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("cannot lock state directory %q: another confit is using it; give each its own with --state", path)
	}
	if _, gone := root.Lstat(lockName); errors.Is(err, unix.EROFS) || errors.Is(gone, fs.ErrNotExist) {
		return nil, Unusable(path, err) // it could not be made
	}
	return nil, fmt.Errorf("cannot lock state directory %q: %w; remove %q in it, or give confit one of its own", path, files.Cause(err), lockName)
}

// tryLock opens, checks and locks the file. Another confit may have put aside
// what was opened, so the name must still lead to it afterwards.
func tryLock(root *os.Root, dir int) (*os.File, error) {
	// Not through the Root, which would follow a link that stays inside.
	fd, err := unix.Openat(dir, lockName, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, lockMode)
	if err != nil {
		return nil, putAsideUnopened(root, dir, err)
	}
	lock := os.NewFile(uintptr(fd), lockName)
	info, err := lock.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular() || info.Mode().Perm()&^lockMode != 0 || !files.Ours(info):
		err = putAside(root, info)
	default:
		err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil && !hasName(root, lockName, info) {
			err = errNotLocked
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// putAsideUnopened puts aside a lock that can't be opened: a link, a directory or a
// file of another user. It keeps the file open meanwhile, so that another confit's lock
// can't get the same inode number.
func putAsideUnopened(root *os.Root, dir int, reason error) error {
	fd, err := unix.Openat(dir, lockName, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	strange := errors.Is(reason, unix.ELOOP) || errors.Is(reason, unix.EISDIR) || errors.Is(reason, unix.ENXIO)
	if strange && errors.Is(err, fs.ErrNotExist) {
		return errNotLocked // another confit has put it aside
	}
	if err != nil {
		return reason
	}
	held := os.NewFile(uintptr(fd), lockName)
	defer held.Close()
	info, err := held.Stat()
	switch {
	case err != nil:
		return err
	case strange && info.Mode().IsRegular():
		return errNotLocked // and has made its own
	case info.Mode().IsRegular() && (!errors.Is(reason, unix.EACCES) || files.Owner(info) == 0):
		return reason // root's confit may have it
	}
	return putAside(root, info)
}

// hasName reports whether a name leads to that file.
func hasName(root *os.Root, name string, file fs.FileInfo) bool {
	info, err := root.Lstat(name)
	return err == nil && os.SameFile(info, file)
}

// putAside removes what stands in the lock's place and is none. The caller
// holds it open. If another confit was faster, its lock has been moved by
// mistake, and is put back.
func putAside(root *os.Root, stale fs.FileInfo) error {
	aside := files.TmpName()
	if err := root.Rename(lockName, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return errNotLocked // another confit was faster
		}
		return err
	}
	if !hasName(root, aside, stale) {
		_ = root.Link(aside, lockName) // fails if yet another one is there
	}
	if err := root.RemoveAll(aside); err != nil {
		return err
	}
	return errNotLocked
}

// Unusable is the error of a state directory that can't be used. It says how to get one that
// can.
func Unusable(dir string, err error) error {
	return fmt.Errorf("cannot use state directory %q: %w\n%s", dir, files.Cause(err), MountHint(dir, "{}"))
}

// MountHint shows the volume to mount for the state directory.
func MountHint(path, medium string) string {
	return fmt.Sprintf("mount a volume there:\n"+
		"  volumeMounts: [{name: confit, mountPath: %s}]\n"+
		"  volumes:      [{name: confit, emptyDir: %s}]", path, medium)
}
