package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Names in the state directory, and of what confit leaves beside a target.
const (
	liveName        = "live"
	generationsName = "generations"
	targetsName     = "targets.json"
	acceptedName    = "accepted.json"
	statusName      = "status.json"
	tmpPrefix       = ".confit-tmp-"
	keptPrefix      = ".confit-kept-"
	replacedPrefix  = ".confit-replaced-"
)

// state is the state directory. The lock is held as long as confit runs.
type state struct {
	path        string
	root        *os.Root
	generations *os.Root
	lock        *os.File
	memory      bool // it lives in memory
	next        int  // the number of the next generation
}

// openState makes, tightens and locks the state directory.
func openState(dir string) (*state, error) {
	if err := makeParents(dir); err != nil {
		return nil, unusable(dir, err)
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock state directory %q: another confit is using it; give each its own with --state", dir)
		}
		return nil, fmt.Errorf("cannot lock state directory %q: %w", dir, err)
	}
	s := &state{path: dir, lock: lock, memory: onMemory(dir), next: 1}
	if s.root, err = os.OpenRoot(dir); err != nil {
		return nil, unusable(dir, err)
	}
	// The kubelet makes an emptyDir 0777. EPERM: it isn't ours to tighten.
	if info, err := lock.Stat(); err == nil && info.Mode().Perm()&0o022 != 0 {
		_ = lock.Chmod(info.Mode()&^0o022 | dirMode)
	}
	if err := s.openGenerations(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *state) openGenerations() error {
	err := makeDir(s.root, generationsName)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return unusable(s.path, err)
	}
	if err := s.trusted(generationsName); err != nil {
		return err
	}
	s.generations, err = s.root.OpenRoot(generationsName)
	if err != nil {
		return unusable(s.path, err)
	}
	return nil
}

// sweep removes what a killed confit left: generations that were being written
// or that nobody needs, temporary links.
func (s *state) sweep(needed map[int]bool) error {
	names, err := readNames(s.generations)
	if err != nil {
		return unusable(s.path, err)
	}
	for _, name := range names {
		number, err := strconv.Atoi(name)
		if err != nil || !needed[number] {
			_ = s.generations.RemoveAll(name)
		}
		s.next = max(s.next, number+1)
	}
	if names, err = readNames(s.root); err != nil {
		return unusable(s.path, err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, tmpPrefix) {
			_ = s.root.Remove(name)
		}
	}
	return nil
}

// liveNumber is the generation that the live link points at, or 0.
func (s *state) liveNumber() int {
	to, err := s.root.Readlink(liveName)
	if err != nil || path.Dir(to) != generationsName {
		return 0
	}
	n, _ := strconv.Atoi(path.Base(to))
	return n
}

// point moves the live link to a generation, or removes it for number 0. It is
// the one step that changes what all targets resolve to.
func (s *state) point(number int) error {
	if number == 0 {
		s.clearLive()
		if err := s.root.Remove(liveName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the live link in state directory %q: %w", s.path, cause(err))
		}
		return nil
	}
	dest := path.Join(generationsName, strconv.Itoa(number))
	if to, err := s.root.Readlink(liveName); err == nil && to == dest {
		return nil // a full disk doesn't keep confit from going back to where it is
	}
	tmp := tmpPrefix + randomName()
	err := s.root.Symlink(dest, tmp)
	if err == nil {
		s.clearLive()
		err = s.root.Rename(tmp, liveName)
	}
	if err != nil {
		_ = s.root.Remove(tmp)
		return fmt.Errorf("cannot move the live link in state directory %q: %w", s.path, cause(err))
	}
	return nil
}

// keepOnly removes every generation but those that are needed.
func (s *state) keepOnly(needed map[int]bool) {
	names, _ := readNames(s.generations)
	for _, name := range names {
		if number, err := strconv.Atoi(name); err != nil || !needed[number] {
			_ = s.generations.RemoveAll(name)
		}
	}
}

// drop removes one generation. What can't be removed is swept later: when the
// next one is accepted, or at the next start.
func (s *state) drop(number int) { _ = s.generations.RemoveAll(strconv.Itoa(number)) }

// unusable says how to get a state directory that can be used.
func unusable(dir string, err error) error {
	return fmt.Errorf("cannot use state directory %q: %w\n%s", dir, cause(err), mountHint(dir, "{}"))
}

func randomName() string { return strconv.FormatUint(rand.Uint64(), 36) }

// readNames lists a directory.
func readNames(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}
