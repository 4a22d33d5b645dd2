package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A step was planned a moment ago, and others write to the same directories. So
// each step checks, in the moment in which it acts, that what it was planned
// for is still there: it exchanges names, and exchanges them back if something
// else came out. Where the file system can't exchange names, it looks right
// before it acts.

// do carries out one step. After an error, the target is as it was, or as
// somebody else has made it.
func (s step) do() error {
	if err := s.act(); err != nil {
		return fmt.Errorf("cannot %s target %q: %w%s", [...]string{"link", "link", "link", "restore", "remove", "prune"}[s.verb], s.target, cause(err), readOnlyHint(err))
	}
	return nil
}

func (s step) act() error {
	switch s.verb {
	case link:
		return s.link()
	case cover:
		return s.cover(keptFor(s.target))
	case reclaim:
		former := replacedFor(s.target)
		if err := ignoring(os.Remove(former), fs.ErrNotExist); err != nil {
			return fmt.Errorf("cannot remove %q, which was written before: %w", former, cause(err))
		}
		return s.cover(former)
	case uncover:
		return s.uncover(keptFor(s.target))
	case remove:
		return s.remove()
	}
	return &unplanned{lookAt(s.path()).what}
}

// path is the target as the file system's calls take it.
func (s step) path() string { return string(s.target) }

func readOnlyHint(err error) string {
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		return "\nmake the links when the image is built, with confit --bake as USER 0, or mount an emptyDir on the target's directory"
	}
	return ""
}

// checkExpected refuses anything but the link of ours that the step was planned
// for.
func (s step) checkExpected(path string) error {
	if s.from != "" && leadsTo(path, s.from) {
		return nil
	}
	return &unplanned{lookAt(path).what}
}

// checkWanted accepts the link that was to be made, too.
func (s step) checkWanted(path string) error {
	if leadsTo(path, s.dest) {
		return nil
	}
	return s.checkExpected(path)
}

// link makes the link where nothing stands: symlink(2) never replaces. It
// exchanges a link that leads elsewhere for the new one.
func (s step) link() error {
	if s.from == "" || missing(s.path()) {
		if err := makeParents(filepath.Dir(s.path())); err != nil {
			return err
		}
		return s.orUnplanned(putLink(s.dest, s.path()))
	}
	tmp := tmpFor(s.target)
	if err := os.Symlink(string(s.dest), tmp); err != nil {
		return err
	}
	err := swapIn(tmp, s.target, s.checkWanted)
	removeLink(tmp, s.from)
	removeLink(tmp, s.dest)
	if unsupported(err) {
		return putOver(s.target, s.dest, func() bool { return s.checkWanted(s.path()) == nil })
	}
	return err
}

// orUnplanned says what stands where nothing should.
func (s step) orUnplanned(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &unplanned{lookAt(s.path()).what}
	}
	return err
}

// cover makes the link under the name for what is kept, and exchanges the two.
func (s step) cover(kept string) error {
	if err := putLink(s.dest, kept); err != nil {
		return err
	}
	err := swapIn(kept, s.target, s.checkCovers)
	if errors.Is(err, unix.EXDEV) && renew(s.path()) == nil {
		err = swapIn(kept, s.target, s.checkCovers)
	}
	removeLink(kept, s.dest)
	if unsupported(err) {
		return s.coverInTurn(kept)
	}
	return err
}

// checkCovers refuses what a link can't replace.
func (s step) checkCovers(path string) error {
	p := lookAt(path)
	if p.standing == aFile || (p.standing == emptyDir && s.dir) {
		return nil
	}
	return &unplanned{p.what}
}

// coverInTurn is for a file system that can't exchange names. It keeps a file
// by a hard link, and makes a directory again.
func (s step) coverInTurn(kept string) error {
	info, err := os.Lstat(s.path())
	if err != nil {
		return err
	}
	if err := s.checkCovers(s.path()); err != nil {
		return err
	}
	if info.IsDir() {
		return s.coverDirectory(kept, info)
	}
	if err := unix.Linkat(unix.AT_FDCWD, s.path(), unix.AT_FDCWD, kept, 0); err != nil {
		return err
	}
	err = putOver(s.target, s.dest, func() bool { return sameFile(kept, info) && sameFile(s.path(), info) })
	if err != nil {
		_ = os.Remove(kept) // the file still has its first name
	}
	removeLink(kept, s.dest) // what stood there was the wanted link
	return err
}

func (s step) coverDirectory(kept string, info fs.FileInfo) error {
	err := makeLike(kept, info)
	if err == nil {
		err = os.Remove(s.path()) // fails if something is in it
	}
	if err != nil {
		_ = os.Remove(kept)
		return err
	}
	if err := s.orUnplanned(os.Symlink(string(s.dest), s.path())); err != nil {
		_ = moveTo(kept, s.path())
		return err
	}
	return nil
}

// uncover exchanges our link for what was kept. A directory that was kept when
// the image was built is in a lower layer of overlayfs.
func (s step) uncover(kept string) error {
	if s.from == "" || missing(s.path()) {
		return s.orUnplanned(moveTo(kept, s.path()))
	}
	err := swapIn(kept, s.target, s.checkExpected)
	if errors.Is(err, unix.EXDEV) && renew(kept) == nil {
		err = swapIn(kept, s.target, s.checkExpected)
	}
	if unsupported(err) {
		return s.uncoverInTurn(kept)
	}
	removeLink(kept, s.from)
	return err
}

// uncoverInTurn is for a file system that can't exchange names. A directory
// can't be renamed over a link.
func (s step) uncoverInTurn(kept string) error {
	if err := s.checkExpected(s.path()); err != nil {
		return err
	}
	err := os.Rename(kept, s.path())
	if !errors.Is(err, unix.ENOTDIR) {
		return err
	}
	if err := os.Remove(s.path()); err != nil {
		return err
	}
	return s.orUnplanned(moveTo(kept, s.path()))
}

// remove moves the link aside before it removes it, as unlink(2) doesn't tell
// what it has removed.
func (s step) remove() error {
	if missing(s.path()) {
		return nil
	}
	if err := s.checkExpected(s.path()); err != nil {
		return err
	}
	tmp := tmpFor(s.target)
	if err := os.Rename(s.path(), tmp); err != nil {
		return ignoring(err, fs.ErrNotExist, unix.EROFS) // on EROFS the link dangles, which reads as absent
	}
	if err := s.checkExpected(tmp); err != nil {
		_ = moveTo(tmp, s.path())
		return err
	}
	return os.Remove(tmp)
}
