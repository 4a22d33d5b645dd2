package target

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// A step puts one thing in the place of another, and needs to know what it
// replaced.

// dir is the opened directory of targets.
type dir struct{ *safedir.Dir }

// exchange exchanges two names.
func (d *dir) exchange(a, b string) error { return d.Rename(a, b, unix.RENAME_EXCHANGE) }

// swapIn exchanges what confit put beside a target with what stands there, and
// looks at what came out. If that doesn't fit, it is given back, and fits says
// why.
func (d *dir) swapIn(beside, target string, fits func(name string) error) error {
	mine, err := d.Stat(beside)
	if err != nil {
		return err
	}
	if err := d.exchange(beside, target); err != nil {
		return err
	}
	odd := fits(beside)
	if odd == nil {
		return nil
	}
	switch err := d.exchange(beside, target); {
	case errors.Is(err, unix.ENOENT): // removed meanwhile
		_ = d.Move(beside, target)
	case err == nil && !d.Is(beside, mine): // replaced meanwhile: the newer one stays
		_ = d.exchange(beside, target)
	}
	return odd
}

// putLink gives a link that was made ready its name, unless it is there already.
func (d *dir) putLink(ready, name string, dest Dest) error {
	err := d.Rename(ready, name, unix.RENAME_NOREPLACE)
	if safedir.Unsupported(err) {
		err = d.Symlink(string(dest), name)
	}
	if err == unix.EEXIST && d.leadsTo(name, dest) {
		return nil
	}
	return err
}

// putOver replaces a target by a link where names can't be exchanged. It asks
// still at the last moment, as rename(2) doesn't tell what it has replaced.
func (d *dir) putOver(target string, dest Dest, still func() bool) error {
	tmp := files.TmpName()
	if err := d.Symlink(string(dest), tmp); err != nil {
		return err
	}
	var err error = &safedir.Blocked{What: d.lookAt(target).what}
	if still() {
		err = d.Rename(tmp, target, 0)
	}
	if err != nil {
		_ = d.Remove(tmp)
	}
	return err
}

// leadsTo reports whether a name is a symlink to dest.
func (d *dir) leadsTo(name string, dest Dest) bool {
	to, err := d.Readlink(name)
	return err == nil && to == string(dest)
}

// removeLink removes a symlink of ours from beside a target.
func (d *dir) removeLink(name string, dest Dest) {
	if d.leadsTo(name, dest) {
		_ = d.Unshut(func() error { return d.Remove(name) })
	}
}

// renew replaces an empty directory by a new one: a directory of a lower layer
// of overlayfs can't be renamed, but it can be renamed over.
func (d *dir) renew(name string) error {
	st, err := d.Stat(name)
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unix.ENOTDIR
	}
	tmp := files.TmpName()
	if err := d.MakeLike(tmp, &st); err != nil {
		return err
	}
	if err := d.Rename(tmp, name, 0); err != nil {
		_ = d.Remove(tmp)
		return err
	}
	return nil
}

// lookAt tells what stands at a name, whoever made it.
func (d *dir) lookAt(name string) place {
	st, err := d.Stat(name)
	kind := st.Mode & unix.S_IFMT
	switch {
	case err != nil:
		return unreachable(err)
	case kind == unix.S_IFLNK:
		return place{standing: aFile, what: "a symlink"}
	case d.Mounted(name):
		return place{standing: immovable, what: "a mount point"}
	case kind == unix.S_IFREG:
		return place{standing: aFile, what: regularFile}
	case kind != unix.S_IFDIR:
		return place{standing: immovable, what: "a device, socket or FIFO"}
	}
	if !d.Empty(name) {
		return place{standing: immovable, what: fullDir}
	}
	return place{standing: emptyDir, what: "an empty directory"}
}

// unreachable is a target that can't be looked at.
func unreachable(err error) place {
	by, ok := errors.AsType[*safedir.Blocked](err)
	switch {
	case ok:
		return place{standing: immovable, what: by.What, instead: by.Instead}
	case errors.Is(err, fs.ErrNotExist):
		return place{standing: nothing, what: "nothing"}
	case errors.Is(err, unix.ENOTDIR):
		return place{standing: immovable, what: "a file in the place of its directory"}
	}
	return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", files.Cause(err))}
}
