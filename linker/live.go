package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"confit/linker/files"
)

// liveNumber is the generation that the live link points at, or 0.
func (s *stateDir) liveNumber() int {
	to, err := s.root.Readlink(liveName)
	if err != nil || path.Dir(to) != generationsName {
		return 0
	}
	n, _ := strconv.Atoi(path.Base(to))
	return n
}

// aim makes a link to a generation, under a temporary name, for point. It makes none
// for number 0, nor if live leads there already: a full disk doesn't keep confit
// from going back to where it is.
func (s *stateDir) aim(number int) (ready string, err error) {
	dest := path.Join(generationsName, strconv.Itoa(number))
	if to, err := s.root.Readlink(liveName); number == 0 || err == nil && to == dest {
		return "", nil
	}
	ready = files.TmpName()
	return ready, s.pointError(s.root.Symlink(dest, ready))
}

// unaim removes what aim has made, unless it is the live link now.
func (s *stateDir) unaim(ready string) {
	if ready != "" {
		_ = s.root.Remove(ready)
	}
}

// point moves the live link to a generation, or removes it for number 0. It is
// the one step that changes what all targets resolve to.
func (s *stateDir) point(number int, ready string) error {
	switch {
	case number == 0:
		s.clearLive()
		if err := s.root.Remove(liveName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the live link in state directory %q: %w", s.path, files.Cause(err))
		}
	case ready != "":
		s.clearLive()
		return s.pointError(s.root.Rename(ready, liveName))
	}
	return nil
}

func (s *stateDir) pointError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot move the live link in state directory %q: %w", s.path, files.Cause(err))
}

// clearLive moves aside what stands in the live link's place and is no link. If
// that fails, so does the rename(2) over it, which says why.
func (s *stateDir) clearLive() {
	info, err := s.root.Lstat(liveName)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return
	}
	_ = s.root.RemoveAll(files.ReplacedPrefix + liveName)
	_ = s.root.Rename(liveName, files.ReplacedPrefix+liveName)
}

// liveDest is what the target of a staged key or directory points at.
func (s *stateDir) liveDest(path Key) destination {
	return destination(filepath.Join(s.path, liveName, string(path)))
}
