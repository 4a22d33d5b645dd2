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

// swapIn exchanges what confit put beside a target with what stands there, and
// looks at what came out. If that doesn't fit, it is given back, and fits says
// why.
func (a act) swapIn(beside string, fits func(name string) error) error {
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
	case errors.Is(err, unix.ENOENT): // removed meanwhile
		_ = a.in.Move(beside, a.name)
	case err == nil && !a.in.Is(beside, mine): // replaced meanwhile: the newer one stays
		_ = exchange()
	}
	return odd
}

// swapKept is swapIn of what is kept or covered. A directory of a lower layer of overlayfs
// can't be renamed, but it can be renamed over.
func (a act) swapKept(kept string, fits func(name string) error) error {
	err := a.swapIn(kept, fits)
	if errors.Is(err, unix.EXDEV) && (a.renew(kept) == nil || a.renew(a.name) == nil) {
		err = a.swapIn(kept, fits)
	}
	return err
}

// renew replaces an empty directory by a new one.
func (a act) renew(name string) error {
	return a.in.Replace(name, func(tmp string) error { return a.in.MakeLike(tmp, name) })
}

// putLink gives the link that was made ready its name, unless it is there already.
func (a act) putLink(name string) error {
	err := a.in.Rename(a.ready, name, unix.RENAME_NOREPLACE)
	if safedir.Unsupported(err) {
		err = a.in.Symlink(string(a.dest), name)
	}
	if err == unix.EEXIST && a.leadsTo(name, a.dest) {
		return nil
	}
	return err
}

// putOver replaces what stands at the target by the link, where names can't be exchanged. It asks
// whether that fits at the last moment, as rename(2) doesn't tell what it has replaced.
func (a act) putOver(fits func(name string) error) error {
	return a.in.Replace(a.name, func(tmp string) error {
		if err := a.in.Symlink(string(a.dest), tmp); err != nil {
			return err
		}
		return fits(a.name)
	})
}

func (a act) leadsTo(name string, dest Dest) bool {
	to, err := a.in.Readlink(name)
	return err == nil && to == string(dest)
}

// lookAt tells what stands at a name, whoever made it.
func lookAt(d *safedir.Dir, name string) place {
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
