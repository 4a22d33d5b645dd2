package statedir

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/safedir"
)

// The directory in which each try has one of its own, by its pid. It and all below are for confit's
// user alone.
const (
	tryName = "try"
	tryMode = 0o700
)

// Try is the state directory as a try sees it, beside the confit that has the lock. It writes to
// its own directory alone, which is locked as long as it runs.
type Try struct {
	Dir
	Volumes *safedir.Dir // where it may lay out volumes
	state   *safedir.Dir // the state directory
	all     *safedir.Dir // the directories of all tries
	name    string       // of its own
}

// maxAttempts is how often a try begins anew: others may sweep its directory before it is locked,
// and that of all tries once it is empty. It is higher than the number of tries at a time.
const maxAttempts = 100

// OpenTry makes the directory of a try, and sweeps those that others have left. It leaves the state
// directory's mode alone: it may have another user than the confit that works there.
func OpenTry(dir string) (t *Try, err error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	for attempt := range maxAttempts {
		if t, err = s.openTry(attempt); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if t.Generations, err = t.all.Enter(t.name, false); err == nil { // what is locked
		t.Volumes, err = t.Generations.Make("volumes", tryMode)
	}
	if err != nil {
		t.End()
		return nil, Unusable(dir, err)
	}
	return t, nil
}

// openTry makes a directory and locks it.
func (s *Dir) openTry(attempt int) (*Try, error) {
	s.SweepTries()
	all, err := s.openDir(tryName, tryMode)
	if err != nil {
		return nil, err
	}
	name := strconv.Itoa(os.Getpid())
	if attempt > 0 { // of another container's pids, perhaps
		name += "." + strconv.Itoa(attempt)
	}
	t := &Try{Dir: *s, state: s.Top, all: all, name: name}
	if err = safedir.Made(all.Make(name, tryMode)); err == nil {
		t.Lock, err = lockTry(all, name)
	}
	if err != nil {
		all.Close()
		return nil, Unusable(s.Path, err)
	}
	return t, nil
}

// Renew takes the place of [Dir.Renew]: a try whose directory somebody has moved has nothing to go
// on with.
func (t *Try) Renew() (moved []string, err error) {
	if t.state.Leads(t.Path) && t.state.Is(tryName, t.all.St) && t.all.Is(t.name, t.Generations.St) {
		return nil, nil
	}
	return nil, fmt.Errorf("cannot try anything in state directory %q: somebody has moved %q", t.Path,
		t.Generations.Join("."))
}

// End removes the try's directory, and that of all tries if there is no other.
func (t *Try) End() {
	_ = t.all.RemoveAll(t.name)
	_ = t.state.Remove(tryName)
	t.Lock.Close()
}

// SweepTries removes what tries have left that were killed, and reports whether there was anything.
func (s *Dir) SweepTries() (left bool) {
	all, err := s.enterDir(tryName)
	if err != nil { // as a rule there is none
		return false
	}
	defer all.Close()
	var lock *os.File // each is held until its directory is removed
	left, _ = all.Sweep(func(name string) bool {
		lock.Close() // nil: it is the first one
		lock, err = lockTry(all, name)
		return err == nil || err == unix.ENOTDIR || err == unix.ELOOP // somebody else's
	})
	lock.Close()
	_ = s.Top.Remove(tryName)
	return left
}

// lockTry locks the directory of a try. It fails if somebody else has it, or it is gone by then.
func lockTry(all *safedir.Dir, name string) (*os.File, error) {
	f, err := all.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = flock(f)
	}
	if err == nil && !all.Is(name, st) {
		err = safedir.ErrReplaced
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return os.NewFile(uintptr(f), name), nil
}
