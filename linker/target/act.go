package target

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// A step was planned a moment ago, and others write to the same directories. So each step checks,
// in the moment in which it acts, that what it was planned for is still there.

// act is a step in the opened directory of its target.
type act struct {
	*Step
	in   *safedir.Dir
	name string // of the target there
}

// work has something done in the directory of a step's target. After an error the target is as it
// was, or another's.
func (t *Set) work(s *Step, do func(act) error) error {
	var err error
	switch unwanted := s.Dest == ""; {
	case s.verb == skip:
		err = &safedir.Blocked{What: s.what}
	case s.verb != none:
		var in *safedir.Dir
		if in, err = t.enter(s.Target.Dir(), !unwanted); err == nil {
			err = in.Unshut(func() error { return do(act{s, in, s.Target.Base()}) })
		} else if unwanted {
			err = files.Ignoring(err, unix.ENOENT)
		}
	}
	if err == nil {
		return nil
	}
	hint := ReadOnlyHint(filepath.Dir(string(s.Target)), err)
	return fmt.Errorf("cannot %v target %q: %w%s", s.verb, s.Target, err, hint)
}

// ReadOnlyHint says what to do when an error is that a directory of targets can't be written to; ""
// of any other error.
func ReadOnlyHint(dir string, err error) string {
	if err != nil && files.Ignoring(err, unix.EROFS, unix.EACCES, unix.EPERM) == nil {
		if files.IsKubelets(dir) {
			return fmt.Sprintf("\n%q is a ConfigMap or Secret volume itself: remove that mount, confit links its keys",
				dir)
		}
		return "\nmake the links when the image is built, with confit --bake as USER 0, or mount an emptyDir on the target's directory"
	}
	return ""
}

// prepare finds what the system refuses to a step before anything is changed. It makes the new link
// beside the target.
func (t *Set) prepare(s *Step) error {
	err := t.work(s, func(a act) error {
		switch a.verb {
		case uncover:
			return a.in.Writable(".")
		case remove:
			return files.Ignoring(a.in.Writable("."), unix.EROFS) // see there
		}
		a.ready = files.TmpName()
		return a.in.Symlink(string(a.Dest), a.ready)
	})
	if _, blocked := errors.AsType[*safedir.Blocked](err); blocked && s.Dest == "" {
		return nil // see carryOut
	}
	return err
}

// unprepare removes the new links that were not used.
func (t *Set) unprepare(steps []Step) {
	for i := range steps {
		if s := &steps[i]; s.ready != "" {
			_ = t.work(s, func(a act) error { a.removeOurs(a.ready); return nil })
		}
	}
}

// act puts the new link, or what was kept, in the place of what it was planned for.
func (a act) act() error {
	beside := a.ready
	switch a.verb {
	case remove:
		return a.remove()
	case cover, uncover:
		beside = files.Sibling(a.name, files.KeptPrefix)
	case reclaim:
		beside = files.Sibling(a.name, files.ReplacedPrefix)
		if err := files.Ignoring(a.in.Remove(beside), unix.ENOENT); err != nil {
			return fmt.Errorf("cannot remove %q, which was written before: %w", a.in.Join(beside), err)
		}
	}
	defer a.removeOurs(beside)
	switch {
	case a.covers():
		if err := a.putLink(beside); err != nil { // the name for what is kept
			return err
		}
	case a.link != "" && !a.in.Missing(a.name):
	case a.verb == link:
		return a.orUnplanned(a.putLink(a.name))
	default: // a directory that was kept when the image was built is in a lower layer of overlayfs
		return a.orUnplanned(a.in.Move(beside, a.name))
	}
	return a.swap(beside)
}

// covers reports that what stands at the target is kept.
func (a act) covers() bool { return a.verb == cover || a.verb == reclaim }

// putLink gives the link that was made ready its name, unless it is there already.
func (a act) putLink(name string) error {
	err := a.in.Rename(a.ready, name, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		a.ready = ""
	case safedir.Unsupported(err):
		err = a.in.Symlink(string(a.Dest), name)
	}
	if err == unix.EEXIST {
		if to, _ := a.in.Readlink(name); to == string(a.Dest) {
			return nil
		}
	}
	return err
}

// remove moves the link aside before it removes it, as unlink(2) doesn't tell what it has removed.
func (a act) remove() error {
	if a.in.Missing(a.name) {
		return nil
	}
	if err := a.check(a.name); err != nil {
		return err
	}
	tmp := files.TmpName()
	if err := a.in.Rename(a.name, tmp, 0); err != nil {
		// on EROFS the link stays and leads nowhere: the app finds no file
		return files.Ignoring(err, unix.ENOENT, unix.EROFS)
	}
	if err := a.check(tmp); err != nil {
		_ = a.in.Move(tmp, a.name)
		return err
	}
	return a.in.Remove(tmp)
}

// check refuses what the step wasn't planned for: what is not confit's link, nor what that can
// cover.
func (a act) check(name string) error {
	if a.isOurs(name) {
		return nil
	}
	p := lookAt(a.in, name)
	if a.covers() && (p.standing == aFile || p.standing == emptyDir && a.Dir) {
		return nil
	}
	return &safedir.Blocked{What: p.what}
}

// orUnplanned says what stands where nothing should.
func (a act) orUnplanned(err error) error {
	if err == unix.EEXIST {
		return &safedir.Blocked{What: lookAt(a.in, a.name).what + a.folds()}
	}
	return err
}

// folds names what has the target's name but for its case: some file systems tell no case.
func (a act) folds() string {
	entries, _ := a.in.List()
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), a.name) })
	if i < 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == a.name }) {
		return ""
	}
	return fmt.Sprintf(" called %q, and this file system tells no case,", entries[i].Name())
}

// isOurs reports our link that the step was planned for, or the one that was to be made.
func (a act) isOurs(name string) bool {
	to, err := a.in.Readlink(name)
	return err == nil && (to == string(a.link) || to == string(a.Dest))
}

func (a act) removeOurs(name string) {
	if a.isOurs(name) {
		_ = a.in.Remove(name)
	}
}
