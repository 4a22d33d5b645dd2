package target

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// A step was planned a moment ago, and others write to the same directories. So
// each step checks, in the moment in which it acts, that what it was planned
// for is still there: it exchanges names, and exchanges them back if something
// else came out. Where the file system can't exchange names, it looks right
// before it acts.

// act is a step in the opened directory of its target.
type act struct {
	Step
	in   *safedir.Dir
	name string // of the target there
}

func (t *Set) begin(s Step) (act, error) {
	in, err := t.enter(filepath.Dir(string(s.Target)), !s.prunes())
	return act{s, in, filepath.Base(string(s.Target))}, err
}

// doStep carries out one step. After an error, the target is as it was, or as
// somebody else has made it.
func (t *Set) doStep(s Step) error {
	if s.ready == "" && !s.prunes() {
		if err := t.prepare(&s); err != nil {
			return err
		}
	}
	a, err := t.begin(s)
	switch {
	case err == nil:
		err = a.in.Unshut(a.act)
	case s.verb == remove:
		err = files.Ignoring(err, fs.ErrNotExist)
	}
	return s.failed(err)
}

func (s Step) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot %s target %q: %w%s", [...]string{"", "link", "link", "link", "restore", "remove", "prune"}[s.verb], s.Target, files.Cause(err), ReadOnlyHint(err))
}

// prepare finds what the system refuses to a step before anything is changed. It
// makes the new link, under a temporary name beside the target.
func (t *Set) prepare(s *Step) error {
	a, err := t.begin(*s)
	switch {
	case err == nil:
		err = a.in.Unshut(func() error {
			switch s.verb {
			case spare:
				return nil
			case uncover:
				return a.in.Writable(".")
			case remove:
				return files.Ignoring(a.in.Writable("."), unix.EROFS) // see there
			}
			s.ready = files.TmpName()
			return a.in.Symlink(string(s.dest), s.ready)
		})
	case s.prunes():
		return nil // the step says why
	}
	return s.failed(err)
}

func (t *Set) unprepare(steps []Step) {
	defer t.leave()
	for _, s := range steps {
		if s.ready == "" {
			continue
		}
		if a, err := t.begin(s); err == nil {
			a.removeOurs(s.ready)
		}
	}
}

func (a act) act() error {
	defer a.removeOurs(a.ready)
	switch a.verb {
	case link:
		return a.link()
	case cover:
		return a.cover(files.Beside(a.name, files.KeptPrefix))
	case reclaim:
		former := files.Beside(a.name, files.ReplacedPrefix)
		if err := files.Ignoring(a.in.Remove(former), fs.ErrNotExist); err != nil {
			return fmt.Errorf("cannot remove %q, which was written before: %w", a.in.Join(former), err)
		}
		return a.cover(former)
	case uncover:
		return a.uncover(files.Beside(a.name, files.KeptPrefix))
	case remove:
		return a.remove()
	}
	return a.unplanned(a.name)
}

// ReadOnlyHint says what to do when an error is that a directory of targets can't be written
// to; "" of any other error.
func ReadOnlyHint(err error) string {
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		return "\nmake the links when the image is built, with confit --bake as USER 0, or mount an emptyDir on the target's directory"
	}
	return ""
}

func (a act) unplanned(name string) error { return &safedir.Blocked{What: lookAt(a.in, name).what} }

// isOurs reports our link that the step was planned for, or the one that was to be made.
func (a act) isOurs(name string) bool { return a.leadsTo(name, a.from) || a.leadsTo(name, a.dest) }

// checkOurs refuses anything else.
func (a act) checkOurs(name string) error {
	if a.isOurs(name) {
		return nil
	}
	return a.unplanned(name)
}

func (a act) removeOurs(name string) {
	if a.isOurs(name) {
		_ = a.in.Unshut(func() error { return a.in.Remove(name) })
	}
}

// link puts the link where nothing stands, and never replaces anything. It
// exchanges a link that leads elsewhere for the new one.
func (a act) link() error {
	if a.from == "" || a.in.Missing(a.name) {
		return a.orUnplanned(a.putLink(a.name))
	}
	err := a.swapIn(a.ready, a.checkOurs)
	if safedir.Unsupported(err) {
		return a.putOver(a.checkOurs)
	}
	return err
}

// orUnplanned says what stands where nothing should.
func (a act) orUnplanned(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return a.unplanned(a.name)
	}
	return err
}

// cover gives the link the name for what is kept, and exchanges the two.
func (a act) cover(kept string) error {
	if err := a.putLink(kept); err != nil {
		return err
	}
	err := a.swapKept(kept, a.checkCovers)
	a.removeOurs(kept)
	if safedir.Unsupported(err) {
		return a.coverInTurn(kept)
	}
	return err
}

// checkCovers refuses what a link can't replace.
func (a act) checkCovers(name string) error {
	if p := lookAt(a.in, name); p.standing == aFile || p.standing == emptyDir && a.dir {
		return nil
	}
	return a.unplanned(name)
}

// coverInTurn is for a file system that can't exchange names. It keeps a file
// by a hard link, and makes a directory again.
func (a act) coverInTurn(kept string) error {
	st, err := a.in.Stat(a.name)
	if err != nil {
		return err
	}
	if err := a.checkCovers(a.name); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return a.coverDirectory(kept)
	}
	if err := a.in.Link(a.name, kept); err != nil {
		return err
	}
	err = a.putOver(func(name string) error {
		if a.in.Is(kept, st) && a.in.Is(name, st) {
			return nil
		}
		return a.unplanned(name)
	})
	if err != nil {
		_ = a.in.Remove(kept) // the file still has its first name
	}
	a.removeOurs(kept) // what stood there was the wanted link
	return err
}

func (a act) coverDirectory(kept string) error {
	err := a.in.MakeLike(kept, a.name)
	if err == nil {
		err = a.in.Remove(a.name) // fails if something is in it
	}
	if err != nil {
		_ = a.in.Remove(kept)
		return err
	}
	if err := a.orUnplanned(a.in.Symlink(string(a.dest), a.name)); err != nil {
		_ = a.in.Move(kept, a.name)
		return err
	}
	return nil
}

// uncover exchanges our link for what was kept. A directory that was kept when
// the image was built is in a lower layer of overlayfs.
func (a act) uncover(kept string) error {
	if a.from == "" || a.in.Missing(a.name) {
		return a.orUnplanned(a.in.Move(kept, a.name))
	}
	err := a.swapKept(kept, a.checkOurs)
	if safedir.Unsupported(err) {
		return a.uncoverInTurn(kept)
	}
	a.removeOurs(kept)
	return err
}

// uncoverInTurn is for a file system that can't exchange names. A directory
// can't be renamed over a link.
func (a act) uncoverInTurn(kept string) error {
	if err := a.checkOurs(a.name); err != nil {
		return err
	}
	err := a.in.Rename(kept, a.name, 0)
	if !errors.Is(err, unix.ENOTDIR) {
		return err
	}
	if err := a.in.Remove(a.name); err != nil {
		return err
	}
	return a.orUnplanned(a.in.Move(kept, a.name))
}

// remove moves the link aside before it removes it, as unlink(2) doesn't tell
// what it has removed.
func (a act) remove() error {
	if a.in.Missing(a.name) {
		return nil
	}
	if err := a.checkOurs(a.name); err != nil {
		return err
	}
	tmp := files.TmpName()
	if err := a.in.Rename(a.name, tmp, 0); err != nil {
		return files.Ignoring(err, fs.ErrNotExist, unix.EROFS) // on EROFS the link stays and leads nowhere: the app finds no file
	}
	if err := a.checkOurs(tmp); err != nil {
		_ = a.in.Move(tmp, a.name)
		return err
	}
	return a.in.Remove(tmp)
}
