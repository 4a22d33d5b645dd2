package statedir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

const lockName = "lock"

// takeLock locks the state directory against other confits, by flock(2) on a file that only
// confit's user can open: who can open it can lock it, and so keep confit from starting.
func (s *Dir) takeLock() error {
	open := func() (files.Raw, error) {
		return s.Top.OpenFile(lockName, unix.O_RDWR|unix.O_CREAT|unix.O_NONBLOCK, 0o600)
	}
	f, err := open()
	if err == unix.EISDIR && s.moveAside(lockName) == nil {
		f, err = open()
	}
	if err == nil {
		err = lockOwn(f)
		if err != nil {
			f.Close()
		}
	}
	switch {
	case err == nil:
		s.Lock = os.NewFile(uintptr(f), lockName)
		return nil
	case err == errInUse, files.MayPass(err):
		return fmt.Errorf("cannot lock state directory %q: %w", s.Path, err)
	case err == unix.EROFS, s.Top.Missing(lockName):
		return Unusable(s.Path, err) // it could not be made
	}
	return fmt.Errorf("cannot lock state directory %q: %w; remove %q in it, or give confit one of its own", s.Path, err,
		lockName)
}

func lockOwn(f files.Raw) error {
	st, err := f.Stat()
	if err == nil && (!st.IsRegular() || !files.Own(st.Uid)) {
		err = errors.New("it is no file of confit's own")
	}
	if err == nil {
		err = unix.Fchmod(int(f), 0o600) // whatever the umask, or somebody since, has made of it
	}
	if err != nil {
		return err
	}
	if err = flock(f); err == unix.EWOULDBLOCK {
		err = errInUse
	}
	return err
}

var errInUse = errors.New("another confit is using it; give each its own with --state")

func flock(f files.Raw) error { return unix.Flock(int(f), unix.LOCK_EX|unix.LOCK_NB) }

// Unusable is the error of a state directory that can't be used. It says how to get one that can.
func Unusable(dir string, err error) error {
	if files.IsKubelets(dir) {
		return fmt.Errorf(
			"cannot use state directory %q: it is a ConfigMap or Secret volume; name another directory with --state",
			dir)
	}
	return fmt.Errorf("cannot use state directory %q: %w; name another one with --state, or %s", dir, err,
		MountHint(dir, "{}"))
}

// MountHint shows the volume to mount for the state directory.
func MountHint(path, medium string) string {
	return fmt.Sprintf("mount a volume there:\n"+
		"  volumeMounts: [{name: confit, mountPath: %s}]\n"+
		"  volumes:      [{name: confit, emptyDir: %s}]", path, medium)
}
