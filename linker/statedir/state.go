// Package statedir knows the state directory: who may write there, its lock, its small files, and the one link that moves.
//
// It guarantees that
//   - one confit at a time has the directory;
//   - what others may have put there isn't believed, and no link in it is followed;
//   - each file and the live link are replaced by one rename(2): old or new, whole.
//
// It does not know what is in a generation or in a file that outlives confit.
package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// Names in the state directory.
const (
	liveName        = "live"
	generationsName = "generations"
)

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
	kept        int          // generations up to this number stay, whoever needs them; 0: none
}

// Open makes, tightens and locks the state directory. The error says what to do.
func Open(dir string) (*Dir, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	s.tighten()
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

// Through has links lead through a view of the directory, "" for none, and refuses one that is something else.
func (s *Dir) Through(view string) error {
	if s.View = view; view == "" {
		return nil
	}
	own, err1 := os.Stat(s.Path)
	seen, err2 := os.Stat(view)
	err := errors.Join(err1, err2)
	if err == nil && !os.SameFile(own, seen) {
		err = errors.New("it is another directory")
	}
	if err != nil {
		err = fmt.Errorf("cannot lead links through %q: %w; mount the state directory %q there, too, read-only", view, files.Cause(err), s.Path)
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
	return &Dir{Path: dir, Top: top, Memory: files.OnMemory(dir), Next: 1}, nil
}

// tighten keeps others from writing to the state directory: the kubelet makes an emptyDir 0777. EPERM means that it isn't confit's to
// tighten. Nor is a directory that a link leads to.
func (s *Dir) tighten() {
	var named unix.Stat_t
	err := unix.Lstat(s.Path, &named)
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

// Sweep removes what a killed confit left: generations that nobody needs, unfinished ones, and temporary files and links.
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

// Keep takes the place of [Dir.Sweep] where nobody can read what is needed: nothing that is there by now goes, nor does it later.
func (s *Dir) Keep() error {
	s.kept = math.MaxInt
	last, err := s.Collect(nil)
	s.kept, s.Next = last, max(s.Next, last+1)
	if err != nil {
		return Unusable(s.Path, err)
	}
	return nil
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

// OwnDirs lists where generations are: below the state directory as it was given, and by its real path.
func (s *Dir) OwnDirs() (dirs []string) {
	for _, dir := range []string{s.Path, files.Resolver{}.Dir(s.Path)} {
		dirs = append(dirs, filepath.Join(dir, generationsName), filepath.Join(dir, liveName))
	}
	return dirs
}

// noteMode lets everybody read the small files, also a container of another user. No value of a key is in them.
const noteMode = 0o644

// untrustedError says why a file isn't trusted, and what to do.
func (s *Dir) untrustedError(name string, reason error) error {
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own", filepath.Join(s.Path, name), reason)
}

// ReadTrusted reads a file of the state directory, nil if there is none. An error that may pass says nothing of the file.
func (s *Dir) ReadTrusted(name string) ([]byte, error) {
	data, err := s.Top.Read(name, mostBytes(name), files.CheckTrusted)
	switch {
	case err == nil:
		return data, nil
	case err == unix.ENOENT:
		return nil, nil
	case files.MayPass(err):
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(s.Path, name), err)
	}
	return nil, s.untrustedError(name, err)
}

// ReadFile reads a file of a state directory that is another confit's, maybe of another user or in another container. It takes no lock,
// which could keep a confit from starting.
func ReadFile(dir, name string) ([]byte, error) {
	top, err := safedir.At(dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	return top.Read(name, mostBytes(name), func(st *unix.Stat_t) error { return checkOwner(top, st.Uid) })
}

// checkOwner refuses a file that isn't confit's: in an emptyDir that confit may not tighten anybody in the pod can put one. The reader
// can't know confit's user. But confit refuses generations that are somebody else's, so their owner is confit's user.
func checkOwner(top *safedir.Dir, by uint32) error {
	if files.Own(by) {
		return nil
	}
	if generations, err := top.Stat(generationsName); err == nil && generations.Uid == by {
		return nil
	}
	return fmt.Errorf("user %d owns it: not root, not you, and not the owner of the generations", by)
}

// WriteJSON replaces a file of the state directory by a value's JSON.
func (s *Dir) WriteJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Replace(name, data)
}

// mostBytes is how large a file of the state directory may be: what is larger is neither read nor written. The lists have something of each
// key. Three editions of 10,000 keys are a note of 14 MiB, if the names have 100 letters, as in ConfigMaps of 1 MiB.
func mostBytes(name string) int64 {
	if strings.HasSuffix(name, ".json") {
		return 16 << 20
	}
	return 1 << 20
}

// Replace replaces a file of the state directory, see [safedir.Dir.Put]. The note on a disk outlives a loss of power, too.
func (s *Dir) Replace(name string, data []byte) error {
	err := error(nil)
	if n, most := int64(len(data)), mostBytes(name); n > most {
		err = safedir.TooLarge(n, most)
	} else {
		err = s.put(name, data)
	}
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", filepath.Join(s.Path, name), err)
	}
	return nil
}

func (s *Dir) put(name string, data []byte) error {
	return s.Top.Put(name, func(f files.Raw) error {
		err := safedir.Bytes(data, noteMode)(f)
		if err == nil && name == Note && !s.Memory {
			err = unix.Fsync(int(f))
		}
		return err
	})
}

// TryGive finds out whether a file can be given to a group, with one in a new directory, as copies are made. The state directory itself may
// have the set-group-ID bit, which fsGroup gives an emptyDir, and so pass its own group on.
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
