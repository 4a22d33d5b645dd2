package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// dataLink is the link that the kubelet swaps, dataDirName of
// atomic_writer.go. Names that start with two dots are the writer's own.
const (
	dataLink = "..data"
	reserved = ".."
)

// volume is one state of a mounted directory, opened once, so that a swap in
// the middle of reading can't mix two.
type volume struct {
	dir    string   // the mount
	atomic bool     // it holds ..data
	data   string   // what ..data points at, the name of a directory in dir
	root   *os.Root // that directory; of a plain volume dir itself; nil when there is none

	copied bool            // a link asks for copies of its keys
	memory map[uint64]bool // whether a device of its files lives in memory
	dirs   []string        // of a plain volume, the directories whose events are hints
	nested map[string]bool // directories of plain volumes that once held ..data
}

// searchFrom is the directory where the search for the volume begins.
func (s *source) searchFrom() string {
	if s.kind == oneKey {
		return filepath.Dir(s.base)
	}
	return s.base
}

// findVolume names the nearest directory from there upwards that holds ..data,
// else floor.
func (s *source) findVolume() (dir string, atomic bool) {
	dir = s.searchFrom()
	for {
		if s.holdsData(dir) {
			return dir, true
		}
		if dir == s.ceiling || dir == "/" {
			return s.floor, false
		}
		dir = filepath.Dir(dir)
	}
}

// holdsData reports whether a directory is an atomic volume. A symlink below
// the volume itself isn't followed: whoever can write to a volume could lead
// to another one with it.
func (s *source) holdsData(dir string) bool {
	if info, err := os.Lstat(dir); dir != s.floor && (err != nil || info.Mode()&fs.ModeSymlink != 0) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, dataLink))
	return err == nil
}

// openVolume opens what a volume holds now. A volume that isn't there has no
// root; an atomic one whose ..data leads nowhere, or out of it, is invalid.
func openVolume(dir string, atomic bool) (*volume, error) {
	v := &volume{dir: dir, atomic: atomic, memory: map[uint64]bool{}}
	mount, err := os.OpenRoot(asDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("cannot open volume %q: %w", dir, cause(err))
	}
	if !atomic {
		v.root = mount
		return v, nil
	}
	defer mount.Close()
	if v.data, err = mount.Readlink(dataLink); err != nil {
		return v, invalidf("volume %q: cannot read its ..data link: %w", dir, cause(err))
	}
	if v.data != path.Base(v.data) || v.data == ".." || v.data == "." {
		return v, invalidf("volume %q: its ..data link points to %q, not to a directory of the volume", dir, v.data)
	}
	if v.root, err = mount.OpenRoot(asDir(v.data)); err != nil {
		return v, invalidf("volume %q: its ..data link leads nowhere: %w", dir, cause(err))
	}
	return v, nil
}

func (v *volume) close() {
	if v.root != nil {
		v.root.Close()
	}
}

// inVolume is a key's or directory's path as the volume knows it.
func (v *volume) inVolume(absolute string) string {
	rel, err := filepath.Rel(v.dir, absolute)
	if err != nil {
		return absolute
	}
	return rel
}

// visible reports whether a name in a volume can be a key's.
func visible(name string) bool { return !strings.HasPrefix(name, reserved) }

// Invalid is the error of a candidate that can't be: a key is missing, is not
// a regular file, is too large. Trying again helps only once a volume changed.
type Invalid struct{ err error }

func (e *Invalid) Error() string { return e.err.Error() }
func (e *Invalid) Unwrap() error { return e.err }

func invalidf(format string, args ...any) error {
	return invalid(fmt.Errorf(format, args...))
}

// invalid is an [*Invalid], unless the cause is the system's and may pass.
func invalid(err error) error {
	for _, passing := range []error{unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR, unix.EAGAIN} {
		if errors.Is(err, passing) {
			return err
		}
	}
	return &Invalid{err}
}

// cause is the bare reason inside a path error, whose path would be said twice
// or would be relative to a directory that the reader doesn't know.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
