package statedir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
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
func takeLock(top *safedir.Dir, path string) (*os.File, error) {
	lock, err := untilLocked(func(int) (*os.File, error) { return tryLock(top) })
	switch {
	case err == nil:
		return lock, nil
	case err == unix.EWOULDBLOCK:
		return nil, fmt.Errorf("cannot lock state directory %q: another confit is using it; give each its own with --state", path)
	case err == unix.EROFS, top.Missing(lockName):
		return nil, Unusable(path, err) // it could not be made
	}
	return nil, fmt.Errorf("cannot lock state directory %q: %w; remove %q in it, or give confit one of its own", path, err, lockName)
}

// untilLocked tries to lock something until nobody replaces it meanwhile.
func untilLocked[T any](try func(attempt int) (T, error)) (locked T, err error) {
	err = errNotLocked
	for attempt := 0; attempt < maxLockAttempts && err == errNotLocked; attempt++ {
		locked, err = try(attempt)
	}
	return locked, err
}

// flock locks an open file, unless its name leads elsewhere by then: others may have put it
// aside, or removed it.
func flock(in *safedir.Dir, name string, f *os.File) (*os.File, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	var st unix.Stat_t
	if err == nil {
		st, err = files.Raw(f.Fd()).Stat()
	}
	if err == nil && !in.Is(name, st) {
		err = errNotLocked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// tryLock opens, checks and locks the file.
func tryLock(top *safedir.Dir) (*os.File, error) {
	lock, err := top.OpenFile(lockName, unix.O_RDWR|unix.O_CREAT|unix.O_NONBLOCK, lockMode)
	if err != nil {
		return nil, putAsideUnopened(top, err)
	}
	st, err := files.Raw(lock.Fd()).Stat()
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Mode&0o777&^lockMode == 0 && files.Own(st.Uid) {
		return flock(top, lockName, lock)
	}
	defer lock.Close()
	if err != nil {
		return nil, err
	}
	return nil, putAside(top, st)
}

// putAsideUnopened puts aside a lock that can't be opened: a link, a directory or a
// file of another user. It keeps the file open meanwhile, so that another confit's lock
// can't get the same inode number.
func putAsideUnopened(top *safedir.Dir, reason error) error {
	held, err := top.OpenFile(lockName, unix.O_PATH, 0)
	strange := reason == unix.ELOOP || reason == unix.EISDIR || reason == unix.ENXIO
	if strange && err == unix.ENOENT {
		return errNotLocked // another confit has put it aside
	}
	if err != nil {
		return reason
	}
	defer held.Close()
	st, err := files.Raw(held.Fd()).Stat()
	if err != nil {
		return err
	}
	switch regular := st.Mode&unix.S_IFMT == unix.S_IFREG; {
	case regular && strange:
		return errNotLocked // and has made its own
	case regular && (reason != unix.EACCES || st.Uid == 0):
		return reason // root's confit may have it
	}
	return putAside(top, st)
}

// putAside removes what stands in the lock's place and is none. The caller
// holds it open. If another confit was faster, its lock has been moved by
// mistake, and is put back.
func putAside(top *safedir.Dir, stale unix.Stat_t) error {
	aside := files.TmpName()
	if err := top.Rename(lockName, aside, 0); err == unix.ENOENT {
		return errNotLocked // another confit was faster
	} else if err != nil {
		return err
	}
	if !top.Is(aside, stale) {
		_ = top.Link(aside, lockName) // fails if yet another one is there
	}
	if err := top.RemoveAll(aside); err != nil {
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
