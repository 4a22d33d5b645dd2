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
)

// Names in the state directory, and of what confit leaves beside a target.
const (
	liveName        = "live"
	generationsName = "generations"
	packsName       = "packs"
	lockName        = "lock"
	targetsName     = "targets.json"
	acceptedName    = "accepted.json"
	trialName       = "trial.json"
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
	packs       *os.Root
	lock        *os.File
	memory      bool // it lives in memory
	next        int  // the number of the next generation
}

// openState makes, tightens and locks the state directory.
func openState(dir string) (*state, error) {
	if err := makeParents(dir); err != nil {
		return nil, unusable(dir, err)
	}
	root, err := os.OpenRoot(asDir(dir))
	if err != nil {
		return nil, unusable(dir, err)
	}
	s := &state{path: dir, root: root, memory: onMemory(dir), next: 1}
	s.tighten()
	if s.lock, err = takeLock(root, dir); err != nil {
		return nil, err
	}
	if s.generations, err = s.openDir(generationsName, dirMode); err != nil {
		return nil, err
	}
	s.packs, err = s.openDir(packsName, 0o700)
	return s, err
}

// tighten keeps others from writing to the state directory: the kubelet makes
// an emptyDir 0777. EPERM: it isn't ours to tighten. What a link leads to isn't
// confit's either.
func (s *state) tighten() {
	info, err := s.root.Stat(".")
	named, err2 := os.Lstat(s.path)
	if errors.Join(err, err2) == nil && os.SameFile(info, named) && info.Mode().Perm()&0o022 != 0 {
		_ = setMode(s.root, info.Mode()&^0o022|dirMode)
	}
}

// setMode sets the mode of a directory through a descriptor: a Root's own Chmod
// is fchmodat2(2), which older seccomp profiles refuse.
func setMode(dir *os.Root, mode fs.FileMode) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(mode)
}

// openDir makes and opens a directory that is confit's alone. An [os.Root]
// follows links that stay inside, and whoever may write to the state directory
// can put one there between two looks: what was opened must be what has the
// name, and its mode is set through it.
func (s *state) openDir(name string, mode fs.FileMode) (*os.Root, error) {
	made := s.root.Mkdir(name, mode)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, unusable(s.path, made)
	}
	named, err := s.root.Lstat(name)
	if err != nil {
		return nil, unusable(s.path, err)
	}
	if !named.IsDir() {
		return nil, s.untrusted(name, errors.New("it is "+describe(named.Mode())))
	}
	dir, err := s.root.OpenRoot(name)
	if err != nil {
		return nil, unusable(s.path, err)
	}
	info, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, named) {
		err = errors.New("it was replaced meanwhile")
	}
	if err == nil {
		err = distrust(info)
	}
	if err == nil && made == nil {
		err = setMode(dir, mode) // whatever the umask
	}
	if err != nil {
		dir.Close()
		return nil, s.untrusted(name, cause(err))
	}
	return dir, nil
}

// sweep removes what a killed confit left: generations that were being written
// or that nobody needs, temporary links.
func (s *state) sweep(needed map[int]bool) error {
	for _, dir := range []*os.Root{s.generations, s.packs} {
		last, err := keepOnly(dir, needed)
		if err != nil {
			return unusable(s.path, err)
		}
		s.next = max(s.next, last+1)
	}
	names, err := readNames(s.root)
	if err != nil {
		return unusable(s.path, err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, tmpPrefix) {
			_ = s.root.Remove(name)
		}
	}
	return nil
}

// keepOnly removes every generation, or pack, but those that are needed, and
// returns the highest number that there was.
func keepOnly(dir *os.Root, needed map[int]bool) (last int, err error) {
	names, err := readNames(dir)
	for _, name := range names {
		number, err := strconv.Atoi(name)
		last = max(last, number)
		if err != nil || !needed[number] {
			_ = dir.RemoveAll(name)
		}
	}
	return last, err
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

// drop removes one generation. What can't be removed is swept later: when the
// next one is accepted, or at the next start.
func (s *state) drop(number int) {
	name := strconv.Itoa(number)
	_ = s.generations.RemoveAll(name)
	_ = s.packs.RemoveAll(name)
}

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
