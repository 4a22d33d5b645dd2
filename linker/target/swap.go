package target

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// A step puts one thing in the place of another, and needs to know what it replaced.

// swap exchanges what is beside a target with what is there. overlayfs can't rename a lower layer's
// directory, but over it.
func (a act) swap(beside string) error {
	err := a.exchange(beside, a.check)
	if err == unix.EXDEV && (a.renew(beside) == nil || a.renew(a.name) == nil) {
		err = a.exchange(beside, a.check)
	}
	if safedir.Unsupported(err) {
		err = a.inTurn(beside)
	}
	return err
}

// exchange looks at what came out. If that doesn't fit, it is given back, and fits says why.
func (a act) exchange(beside string, fits func(name string) error) error {
	exchange := func() error { return a.in.Rename(beside, a.name, unix.RENAME_EXCHANGE) }
	mine, err := a.in.Stat(beside)
	if err == nil {
		err = exchange()
	}
	if err != nil {
		return err
	}
	odd := fits(beside)
	if odd == nil {
		return nil
	}
	switch err := exchange(); {
	case err == unix.ENOENT: // removed meanwhile
		_ = a.in.Move(beside, a.name)
	case err == nil && !a.in.Is(beside, mine): // replaced meanwhile: the newer one stays
		_ = exchange()
	}
	return odd
}

// renew replaces an empty directory by a new one.
func (a act) renew(name string) error {
	return a.in.Replace(name, func(tmp string) error { return a.in.MakeLike(tmp, name) })
}

// inTurn is for a file system that can't exchange names. It checks at the last moment: rename(2)
// doesn't tell what it replaced.
func (a act) inTurn(beside string) error {
	if !a.covers() {
		if err := a.check(a.name); err != nil {
			return err
		}
		return a.replace(beside)
	}
	tmp := files.TmpName()
	if err := a.in.Rename(beside, tmp, 0); err != nil {
		return err
	}
	defer a.removeOurs(tmp)
	if err := a.keep(beside); err != nil {
		return err
	}
	err := a.replace(tmp)
	if err != nil && a.in.Move(beside, a.name) != nil { // it is still at the target
		_ = a.in.Remove(beside)
	}
	return err
}

// keep gives a file that stands at the target a second name. A directory is made again.
func (a act) keep(name string) error {
	st, err := a.in.Stat(a.name)
	if err == nil {
		err = a.check(a.name)
	}
	if err != nil {
		return err
	}
	if st.IsDir() {
		err = a.in.MakeLike(name, a.name)
		if err != nil && err != unix.EEXIST {
			_ = a.in.Remove(name)
		}
		return err
	}
	err = a.in.Link(a.name, name)
	if err == nil && (!a.in.Is(name, st) || !a.in.Is(a.name, st)) { // another one by now
		_ = a.in.Remove(name)
		err = a.orUnplanned(unix.EEXIST)
	}
	return err
}

// replace renames over what stands at the target. A directory can't be renamed over a link, nor a
// link over it: it goes before, unless something is in it.
func (a act) replace(by string) error {
	err := a.in.Rename(by, a.name, 0)
	if err != unix.ENOTDIR && err != unix.EISDIR {
		return err
	}
	if err := a.in.Remove(a.name); err != nil {
		return err
	}
	return a.orUnplanned(a.in.Move(by, a.name))
}

// lookAt tells what stands at a name, whoever made it.
func lookAt(d *safedir.Dir, name string) place {
	st, err := d.Stat(name)
	switch {
	case err != nil:
		return unreachable(err)
	case st.IsLink():
		return place{standing: aFile, what: "a symlink"}
	case d.Mounted(name):
		return place{standing: immovable, what: "a mount point"}
	case st.IsRegular():
		return place{standing: aFile, what: regularFile}
	case !st.IsDir():
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
	case err == unix.ENOENT:
		return place{standing: nothing, what: "nothing"}
	case err == unix.ENOTDIR:
		return place{standing: immovable, what: "a file in the place of its directory"}
	}
	return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", err), err: err}
}
