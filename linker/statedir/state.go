// Package statedir knows the state directory: who may write there, its lock, its small files, and
// the one link that moves.
//
// It guarantees that
//   - one confit at a time has the directory;
//   - what others may have put there isn't believed, and no link in it is followed;
//   - each file and the live link are replaced by one rename(2): old or new, whole.
//
// It does not know what is in a generation or in a file that outlives confit.
package statedir

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// Names in the state directory.
const (
	liveName        = "live"
	generationsName = "generations"
)

// socketName is that of the socket which package notify makes.
const socketName = "notify"

// Note is the file that outlives the machine, too: see [Dir.Replace].
const Note = "note.json"

// Dir is the state directory. Its lock is held as long as confit runs.
type Dir struct {
	Path        string       // absolute
	View        string       // where links see it; "": at Path
	Top         *safedir.Dir // the directory itself
	Generations *safedir.Dir // a directory for each generation, by number
	Lock        *os.File     // open as long as confit runs
	Memory      bool         // it lives in memory
	Next        int          // the number of the next generation
	Socket      Socket       // nil: there is none
	small       *small       // its small files
	kept        int          // generations up to this number stay, whoever needs them; 0: none
}

// Socket is what package notify has bound here.
type Socket interface {
	Holds() bool // it still has its name
	Renew() error
}

// Open makes, tightens and locks the state directory. The error says what to do.
func Open(dir string) (*Dir, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	s.tighten()
	if st, err := s.Top.Stat(socketName); err == nil && st.IsDir() {
		_ = s.moveAside(socketName) // who binds the socket says why not
	}
	if err = s.takeLock(); err == nil {
		s.Generations, err = s.openDir(generationsName, files.DirMode)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close lets another confit have the directory.
func (s *Dir) Close() {
	s.Lock.Close()
	s.Generations.Close()
	s.Top.Close()
}

// Through has links lead through a view of the directory, "" for none, and refuses one that is
// something else.
func (s *Dir) Through(view string) error {
	s.View = view
	if view == "" {
		return nil
	}
	seen, err := safedir.At(view)
	if err == nil {
		seen.Close()
		if !seen.St.Same(s.Top.St) {
			err = errors.New("it is another directory")
		}
	}
	if err != nil {
		err = fmt.Errorf("cannot lead links through %q: %w; mount the state directory %q there, too, read-only", view,
			err, s.Path)
	}
	return err
}

// open makes it, if it is missing.
func open(dir string) (*Dir, error) {
	var top *safedir.Dir
	err := safedir.MakeParents(dir)
	if err == nil {
		top, err = safedir.At(dir)
	}
	if err != nil {
		return nil, Unusable(dir, err)
	}
	return &Dir{Path: dir, Top: top, Memory: files.OnMemory(dir), Next: 1,
		small: &small{wrote: map[string]files.Stat{}}}, nil
}

// tighten keeps others from writing to the state directory: the kubelet makes an emptyDir 0777.
// EPERM means that it isn't confit's to tighten. Nor is a directory that a link leads to.
func (s *Dir) tighten() {
	var named files.Stat
	err := unix.Lstat(s.Path, &named.Stat_t)
	if mode := s.Top.St.Mode; err == nil && s.Top.Is(".", named) && mode&0o022 != 0 {
		_ = s.Top.Chmod(".", mode&0o7755|files.DirMode)
	}
}

// openDir makes and opens a directory that is confit's alone.
func (s *Dir) openDir(name string, mode uint32) (*safedir.Dir, error) {
	dir, err := s.Top.Make(name, mode)
	switch {
	case err == unix.EEXIST:
		return s.enterDir(name)
	case err != nil:
		return nil, Unusable(s.Path, err)
	}
	return dir, nil
}

// enterDir opens a directory that is confit's alone.
func (s *Dir) enterDir(name string) (*safedir.Dir, error) {
	dir, err := s.Top.Enter(name, false)
	switch {
	case err == unix.ENOTDIR, err == unix.ELOOP:
		return nil, s.untrustedError(name, errors.New("it is "+s.Top.Describe(name)))
	case err != nil:
		return nil, Unusable(s.Path, err)
	}
	if err := files.CheckTrusted(&dir.St); err != nil {
		dir.Close()
		return nil, s.untrustedError(name, err)
	}
	return dir, nil
}

// Sweep removes what a killed confit left: generations that nobody needs, unfinished ones, and
// temporary files and links.
func (s *Dir) Sweep(needed map[int]bool) error {
	last, err := s.Collect(needed)
	s.Next = max(s.Next, last+1)
	if err == nil {
		_, err = s.Top.Sweep(safedir.IsTemporary)
	}
	if err != nil {
		return Unusable(s.Path, err)
	}
	return nil
}

// Keep is [Dir.Sweep] where nobody can read what is needed: no generation that is there by now goes,
// nor does it later.
func (s *Dir) Keep() error {
	s.kept = math.MaxInt
	err := s.Sweep(nil)
	s.kept = s.Next - 1
	return err
}

// Collect removes every generation that isn't needed. It returns the highest number that there was.
func (s *Dir) Collect(needed map[int]bool) (last int, err error) {
	_, err = s.Generations.Sweep(func(name string) bool {
		number, err := strconv.Atoi(name)
		last = max(last, number)
		stays := err == nil && needed[number] || s.kept > 0 && number <= s.kept
		return !stays
	})
	return last, err
}

// GenerationDir is a generation's directory.
func (s *Dir) GenerationDir(number int) string { return s.Generations.Join(strconv.Itoa(number)) }

// RemoveGeneration removes one generation. What can't be removed now Collect removes later.
func (s *Dir) RemoveGeneration(number int) {
	if number > s.kept {
		_ = s.Generations.RemoveAll(strconv.Itoa(number))
	}
}

// OwnDirs lists where generations are: below the state directory as it was given, and by its real
// path.
func (s *Dir) OwnDirs() (dirs []string) {
	for _, dir := range []string{s.Path, files.Resolver{}.Dir(s.Path)} {
		dirs = append(dirs, filepath.Join(dir, generationsName), filepath.Join(dir, liveName))
	}
	return dirs
}

// TryGive finds out whether a file can be given to a group, with one in a new directory, as copies
// are made. The state directory itself may have the set-group-ID bit, which fsGroup gives an
// emptyDir, and so pass its own group on.
func (s *Dir) TryGive(group uint32) (gives bool, err error) {
	name := files.TmpName()
	dir, err := s.Generations.Make(name, files.DirMode)
	if err != nil {
		return false, err
	}
	defer func() { dir.Close(); _ = s.Generations.RemoveAll(name) }()
	err = dir.Create("file", func(f files.Raw) error {
		gives = unix.Fchown(int(f), -1, int(group)) == nil
		return nil
	})
	return gives, err
}
