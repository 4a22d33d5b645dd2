// Package statedir knows the state directory: who may write there, its lock, its small
// files, and the one link that moves.
//
// It guarantees that
//   - one confit at a time has the directory;
//   - what others may have put there isn't believed, and no link in it is followed;
//   - each file and the live link are replaced by one rename(2): old or new, whole.
//
// It does not know what is in a generation or in a file that outlives confit.
package statedir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/way"
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
	Path        string   // absolute
	View        string   // where links see it; "": at Path
	Root        *os.Root // of it
	Generations *os.Root // a directory for each generation, by number
	Lock        *os.File // open as long as confit runs
	Memory      bool     // it lives in memory
	Next        int      // the number of the next generation

	aside string // where Generations is below Path, if that is elsewhere: see [Try]
}

// Open makes, tightens and locks the state directory. The error says what to do when it
// can't be used, locked or trusted.
func Open(dir string) (*Dir, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	s.tighten()
	if s.Lock, err = takeLock(s.Root, dir); err != nil {
		return nil, err
	}
	s.Generations, err = s.openDir(generationsName, files.DirMode)
	return s, err
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
	if err := way.MakeParents(dir); err != nil {
		return nil, Unusable(dir, err)
	}
	root, err := os.OpenRoot(files.AsDir(dir))
	if err != nil {
		return nil, Unusable(dir, err)
	}
	return &Dir{Path: dir, Root: root, Memory: files.OnMemory(dir), Next: 1}, nil
}

// tighten keeps others from writing to the state directory: the kubelet makes
// an emptyDir 0777. EPERM means that it isn't confit's to tighten. Nor is a
// directory that a link leads to.
func (s *Dir) tighten() {
	info, err := s.Root.Stat(".")
	named, err2 := os.Lstat(s.Path)
	if errors.Join(err, err2) == nil && os.SameFile(info, named) && info.Mode().Perm()&0o022 != 0 {
		_ = files.Chmod(s.Root, ".", info.Mode()&^0o022|files.DirMode)
	}
}

// openDir makes and opens a directory that is confit's alone. Its mode is set through what
// was opened.
func (s *Dir) openDir(name string, mode fs.FileMode) (*os.Root, error) {
	made := s.Root.Mkdir(name, mode)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, Unusable(s.Path, made)
	}
	dir, err := s.enterDir(name)
	if err == nil && made == nil {
		if err = files.Chmod(dir, ".", mode); err != nil { // whatever the umask
			dir.Close()
			err = s.untrustedError(name, files.Cause(err))
		}
	}
	return dir, err
}

// errReplaced says that something else has the name of what was opened.
var errReplaced = errors.New("it was replaced meanwhile")

// enterDir opens a directory that is confit's alone. An [os.Root] follows links that stay
// inside, and who may write to the state directory can put one there between two looks. So
// what was opened must be what has the name.
func (s *Dir) enterDir(name string) (*os.Root, error) {
	named, err := s.Root.Lstat(name)
	if err != nil {
		return nil, Unusable(s.Path, err)
	}
	if !named.IsDir() {
		return nil, s.untrustedError(name, errors.New("it is "+files.Describe(named.Mode())))
	}
	dir, err := s.Root.OpenRoot(name)
	if err != nil {
		return nil, Unusable(s.Path, err)
	}
	info, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, named) {
		err = errReplaced
	}
	if err == nil {
		err = files.CheckTrusted(info)
	}
	if err != nil {
		dir.Close()
		return nil, s.untrustedError(name, files.Cause(err))
	}
	return dir, nil
}

// Sweep removes what a killed confit left: unfinished generations, those that
// nobody needs, and temporary links.
func (s *Dir) Sweep(needed map[int]bool) error {
	last, err := s.KeepOnly(needed)
	if err != nil {
		return Unusable(s.Path, err)
	}
	s.Next = max(s.Next, last+1)
	names, err := files.ReadNames(s.Root)
	if err != nil {
		return Unusable(s.Path, err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, files.TmpPrefix) {
			_ = s.Root.Remove(name)
		}
	}
	return nil
}

// KeepOnly removes every generation that isn't needed. It returns the highest number that
// there was.
func (s *Dir) KeepOnly(needed map[int]bool) (last int, err error) {
	names, err := files.ReadNames(s.Generations)
	for _, name := range names {
		number, err := strconv.Atoi(name)
		last = max(last, number)
		if err != nil || !needed[number] {
			files.RemoveAll(s.Generations, name)
		}
	}
	return last, err
}

// GenerationDir is a generation's directory.
func (s *Dir) GenerationDir(number int) string {
	return filepath.Join(s.Path, cmp.Or(s.aside, generationsName), strconv.Itoa(number))
}

// RemoveGeneration removes one generation. What can't be removed is swept
// later: when the next one is accepted, or at the next start.
func (s *Dir) RemoveGeneration(number int) { files.RemoveAll(s.Generations, strconv.Itoa(number)) }

// OwnDirs lists where generations are: below the state directory as it was
// given, and by its real path.
func (s *Dir) OwnDirs() []string {
	dirs := []string{filepath.Join(s.Path, generationsName), filepath.Join(s.Path, liveName)}
	if real, err := filepath.EvalSymlinks(s.Path); err == nil {
		dirs = append(dirs, filepath.Join(real, generationsName), filepath.Join(real, liveName))
	}
	return dirs
}

// A note is a small file in the state directory that outlives confit. It is
// replaced as a whole, and believed only if nobody else can have written it.

// noteMode lets everybody read the notes, also a container of another user. No
// value of a key is in them.
const noteMode = 0o644

// untrustedError says why a file isn't trusted, and what to do.
func (s *Dir) untrustedError(name string, reason error) error {
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own", filepath.Join(s.Path, name), reason)
}

// ReadTrusted reads a file of the state directory, nil if there is none.
func (s *Dir) ReadTrusted(name string) ([]byte, error) {
	f, info, err := files.OpenRegular(s.Root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.untrustedError(name, files.Cause(err))
	}
	defer f.Close()
	if err := files.CheckTrusted(info); err != nil {
		return nil, s.untrustedError(name, err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(s.Path, name), files.Cause(err))
	}
	return data, nil
}

// WriteJSON replaces a file of the state directory by a value's JSON.
func (s *Dir) WriteJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Replace(name, data)
}

// Replace replaces a file of the state directory, by rename(2): a reader finds
// the old one or the new one, whole. For the note on a disk that holds for a machine that
// loses power, too. A link in its place isn't followed.
func (s *Dir) Replace(name string, data []byte) error {
	tmp := files.TmpName()
	err := files.WriteNew(s.Root, tmp, data, noteMode, name == Note && !s.Memory)
	if err == nil {
		err = s.Root.Rename(tmp, name)
	}
	if err != nil {
		_ = s.Root.Remove(tmp)
		return fmt.Errorf("cannot write %q: %w", filepath.Join(s.Path, name), files.Cause(err))
	}
	return nil
}

// TryGive finds out whether a file can be given to a group, with a file in a new directory, as
// copies are made. The state directory itself may have the set-group-ID bit, which fsGroup
// gives an emptyDir, and so pass its own group on.
func (s *Dir) TryGive(group uint32) (bool, error) {
	dir := files.TmpName()
	defer func() { _ = s.Generations.RemoveAll(dir) }()
	if err := files.MakeDir(s.Generations, dir); err != nil {
		return false, err
	}
	f, err := s.Generations.OpenFile(path.Join(dir, "file"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.Chown(-1, int(group)) == nil, nil
}
