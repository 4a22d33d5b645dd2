package statedir

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// tryName is the directory in which each try has one of its own, by its pid. It and all below
// are for confit's user alone.
const tryName = "try"

const tryMode = 0o700

// Try is the state directory as a try sees it, beside the confit that has the lock. It writes
// to its own directory alone, which is locked as long as it runs.
type Try struct {
	Dir
	Volumes *safedir.Dir // where it may lay out volumes
	state   *safedir.Dir // the state directory
	all     *safedir.Dir // the directories of all tries
	name    string       // of its own
}

// volumesName is what [Try.Volumes] is called in the try's directory, beside its generation.
const volumesName = "volumes"

// OpenTry makes the directory of a try, and sweeps those that others have left. It takes no
// lock but that of its own directory, and leaves the state directory's mode alone: it may have
// another user than the confit that works there.
func OpenTry(dir string) (*Try, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	var t *Try
	err = untilLocked(func(attempt int) (err error) {
		t, err = s.openTry(attempt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, t.prepare()
}

// openTry makes a directory and locks it. Others may sweep it before it is locked, and the
// directory of all tries once that is empty: then it is made anew.
func (s *Dir) openTry(attempt int) (*Try, error) {
	all, err := s.openDir(tryName, tryMode)
	if err != nil {
		return nil, orGone(err)
	}
	sweepTries(all)
	t := &Try{Dir: *s, state: s.Top, all: all, name: strconv.Itoa(os.Getpid())}
	if attempt > 0 { // of another container's pids, perhaps
		t.name += "." + strconv.Itoa(attempt)
	}
	if err = safedir.Made(all.Make(t.name, tryMode)); err == nil {
		t.Lock, err = lockTry(all, t.name)
	}
	if err != nil {
		all.Close()
		return nil, orGone(Unusable(s.Path, err))
	}
	return t, nil
}

// orGone makes [errNotLocked] of what happens when others sweep at the same moment.
func orGone(err error) error {
	if files.Ignoring(err, fs.ErrNotExist, fs.ErrExist, unix.EWOULDBLOCK, safedir.ErrReplaced) == nil {
		return errNotLocked
	}
	return err
}

// prepare makes what is in a try's directory.
func (t *Try) prepare() (err error) {
	t.aside, t.Next = path.Join(tryName, t.name), 1
	if t.Generations, err = t.all.Enter(t.name, false); err == nil { // what is locked
		t.Volumes, err = t.Generations.Make(volumesName, tryMode)
	}
	if err != nil {
		t.End()
		return Unusable(t.Path, err)
	}
	return nil
}

// VolumesDir is the path of Volumes.
func (t *Try) VolumesDir() string { return path.Join(t.Path, t.aside, volumesName) }

// End removes the try's directory, and that of all tries if there is no other.
func (t *Try) End() {
	_ = t.all.RemoveAll(t.name)
	_ = t.state.Remove(tryName)
	t.Lock.Close()
}

// SweepTries removes what tries have left that were killed, and reports whether there was
// anything: so the end of one can be told from the end of whoever was killed with it.
func (s *Dir) SweepTries() (left bool) {
	all, err := s.enterDir(tryName)
	if err != nil { // as a rule there is none
		return false
	}
	defer all.Close()
	left = sweepTries(all)
	_ = s.Top.Remove(tryName)
	return left
}

// sweepTries holds the lock of each until that is removed.
func sweepTries(all *safedir.Dir) (left bool) {
	var lock *os.File
	left, _ = all.Sweep(func(name string) bool {
		lock.Close() // nil: it is the first one
		var err error
		lock, err = lockTry(all, name)
		return err == nil
	})
	lock.Close()
	return left
}

// lockTry locks the directory of a try. It fails if somebody else has it, or it is gone.
func lockTry(all *safedir.Dir, name string) (*os.File, error) {
	lock, err := all.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = unix.Fstat(int(lock.Fd()), &st)
	}
	if err == nil && !all.Is(name, st) {
		err = unix.ENOENT
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// MemoryError is the error of a try that may only work in memory.
func (t *Try) MemoryError() error {
	return fmt.Errorf("cannot try what comes on stdin in state directory %q: it isn't in memory; name one that is, such as --state /dev/shm/try", t.Path)
}
