package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	keptName        = "kept"
	noteName        = "note.json"
)

// stateDir is the state directory. Its lock is held as long as confit runs.
type stateDir struct {
	path        string
	root        *os.Root
	generations *os.Root
	kept        *os.Root
	lock        *os.File
	memory      bool // it lives in memory
	next        int  // the number of the next generation
}

// openState makes, tightens and locks the state directory.
func openState(dir string) (*stateDir, error) {
	if err := way.MakeParents(dir); err != nil {
		return nil, unusableError(dir, err)
	}
	root, err := os.OpenRoot(files.AsDir(dir))
	if err != nil {
		return nil, unusableError(dir, err)
	}
	s := &stateDir{path: dir, root: root, memory: files.OnMemory(dir), next: 1}
	s.tighten()
	if s.lock, err = takeLock(root, dir); err != nil {
		return nil, err
	}
	if s.generations, err = s.openDir(generationsName, files.DirMode); err != nil {
		return nil, err
	}
	s.kept, err = s.openDir(keptName, 0o700)
	return s, err
}

// tighten keeps others from writing to the state directory: the kubelet makes
// an emptyDir 0777. EPERM means that it isn't confit's to tighten. Nor is a
// directory that a link leads to.
func (s *stateDir) tighten() {
	info, err := s.root.Stat(".")
	named, err2 := os.Lstat(s.path)
	if errors.Join(err, err2) == nil && os.SameFile(info, named) && info.Mode().Perm()&0o022 != 0 {
		_ = files.SetMode(s.root, info.Mode()&^0o022|files.DirMode)
	}
}

// openDir makes and opens a directory that is confit's alone. An [os.Root]
// follows links that stay inside, and who may write to the state directory can
// put one there between two looks. So what was opened must be what has the
// name, and its mode is set through it.
func (s *stateDir) openDir(name string, mode fs.FileMode) (*os.Root, error) {
	made := s.root.Mkdir(name, mode)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, unusableError(s.path, made)
	}
	named, err := s.root.Lstat(name)
	if err != nil {
		return nil, unusableError(s.path, err)
	}
	if !named.IsDir() {
		return nil, s.untrustedError(name, errors.New("it is "+files.Describe(named.Mode())))
	}
	dir, err := s.root.OpenRoot(name)
	if err != nil {
		return nil, unusableError(s.path, err)
	}
	info, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, named) {
		err = errors.New("it was replaced meanwhile")
	}
	if err == nil {
		err = files.CheckTrusted(info)
	}
	if err == nil && made == nil {
		err = files.SetMode(dir, mode) // whatever the umask
	}
	if err != nil {
		dir.Close()
		return nil, s.untrustedError(name, files.Cause(err))
	}
	return dir, nil
}

// sweep removes what a killed confit left: unfinished generations, those that
// nobody needs, and temporary links.
func (s *stateDir) sweep(needed map[int]bool) error {
	last, err := s.keepOnly(needed)
	if err != nil {
		return unusableError(s.path, err)
	}
	s.next = max(s.next, last+1)
	names, err := files.ReadNames(s.root)
	if err != nil {
		return unusableError(s.path, err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, files.TmpPrefix) {
			_ = s.root.Remove(name)
		}
	}
	return nil
}

// keepOnly removes every generation that isn't needed. It returns the highest number that
// there was.
func (s *stateDir) keepOnly(needed map[int]bool) (last int, err error) {
	names, err := files.ReadNames(s.generations)
	for _, name := range names {
		number, err := strconv.Atoi(name)
		last = max(last, number)
		if err != nil || !needed[number] {
			files.RemoveAll(s.generations, name)
		}
	}
	return last, err
}

// dirOf is a generation's directory.
func (s *stateDir) dirOf(number int) string {
	return filepath.Join(s.path, generationsName, strconv.Itoa(number))
}

// removeGeneration removes one generation. What can't be removed is swept
// later: when the next one is accepted, or at the next start.
func (s *stateDir) removeGeneration(number int) { files.RemoveAll(s.generations, strconv.Itoa(number)) }

// ownDirs lists where generations are: below the state directory as it was
// given, and by its real path.
func (s *stateDir) ownDirs() []string {
	dirs := []string{filepath.Join(s.path, generationsName), filepath.Join(s.path, liveName)}
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
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
func (s *stateDir) untrustedError(name string, reason error) error {
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own", filepath.Join(s.path, name), reason)
}

// readTrusted reads a file of the state directory, nil if there is none.
func (s *stateDir) readTrusted(name string) ([]byte, error) {
	f, info, err := files.OpenRegular(s.root, name)
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
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(s.path, name), files.Cause(err))
	}
	return data, nil
}

// writeJSON replaces a file of the state directory by a value's JSON.
func (s *stateDir) writeJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.replace(name, data)
}

// replace replaces a file of the state directory, by rename(2): a reader finds
// the old one or the new one, whole. For the note on a disk that holds for a machine that
// loses power, too. A link in its place isn't followed.
func (s *stateDir) replace(name string, data []byte) error {
	tmp := files.TmpName()
	err := s.writeNew(tmp, data, name == noteName && !s.memory)
	if err == nil {
		err = s.root.Rename(tmp, name)
	}
	if err != nil {
		_ = s.root.Remove(tmp)
		return fmt.Errorf("cannot write %q: %w", filepath.Join(s.path, name), files.Cause(err))
	}
	return nil
}

// writeNew writes a file that isn't there yet. It sets the mode through the
// descriptor, whatever the umask, as the name may lead elsewhere by now.
func (s *stateDir) writeNew(name string, data []byte, sync bool) error {
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, noteMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if sync && err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Chmod(noteMode), f.Close())
}
