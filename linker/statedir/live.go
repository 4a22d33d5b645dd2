package statedir

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// LiveNumber is the generation that the live link points at, or 0.
func (s *Dir) LiveNumber() int {
	to, err := s.Top.Readlink(liveName)
	if err != nil || path.Dir(to) != generationsName {
		return 0
	}
	n, _ := strconv.Atoi(path.Base(to))
	return n
}

// PrepareLive makes a link to a generation, under a temporary name, for [Dir.SwapLive]. It makes
// none for number 0, nor if live leads there already: a full disk is no reason not to go back to
// where it is.
func (s *Dir) PrepareLive(number int) (ready string, err error) {
	if number == 0 || number == s.LiveNumber() {
		return "", nil
	}
	ready = files.TmpName()
	return ready, s.pointError(s.Top.Symlink(path.Join(generationsName, strconv.Itoa(number)), ready))
}

// DropPrepared removes what [Dir.PrepareLive] has made, unless it is the live link now.
func (s *Dir) DropPrepared(ready string) { _ = s.Top.Remove(ready) }

// SwapLive moves the live link to a generation, or removes it for number 0. ready is of
// [Dir.PrepareLive]. It is the one step that changes what all targets resolve to.
func (s *Dir) SwapLive(number int, ready string) error {
	if number != 0 && ready == "" {
		return nil
	}
	if st, err := s.Top.Stat(liveName); err == nil && !st.IsLink() {
		_ = s.moveAside(liveName)
	}
	if number == 0 {
		return s.pointError(files.Ignoring(s.Top.Remove(liveName), unix.ENOENT))
	}
	return s.pointError(s.Top.Rename(ready, liveName, 0))
}

func (s *Dir) pointError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot move the live link in state directory %q: %w", s.Path, err)
}

// Live is where links find a path of the live generation, "" for its directory.
func (s *Dir) Live(path string) string { return filepath.Join(cmp.Or(s.View, s.Path), liveName, path) }

// DescribeLive says what stands in the place of the live link.
func (s *Dir) DescribeLive() string { return s.Top.Describe(liveName) }
