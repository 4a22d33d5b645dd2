package linker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// What a step needs of the file system: to put one thing in the place of
// another, and to know what that was.

// exchange swaps two names: renameat2(2).
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// unsupported reports that renameat2(2) can't do what was asked: NFS, gVisor, a
// seccomp profile that doesn't know it, or a directory of a lower layer of
// overlayfs. EPERM may as well be a real refusal: then other ways are refused,
// too.
func unsupported(err error) bool {
	return err != nil && ignoring(err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.EXDEV, unix.EPERM) == nil
}

// swapIn exchanges what confit put beside a target with what stands there, and
// looks at what came out. What doesn't fit is given back, with the reason.
func swapIn(beside, target string, fits func(path string) error) error {
	mine, err := os.Lstat(beside)
	if err != nil {
		return err
	}
	if err := exchange(beside, target); err != nil {
		return err
	}
	odd := fits(beside)
	if odd == nil {
		return nil
	}
	switch err := exchange(beside, target); {
	case errors.Is(err, unix.ENOENT): // removed meanwhile
		_ = moveTo(beside, target)
	case err == nil && !same(beside, mine): // replaced meanwhile: the newer one stays
		_ = exchange(beside, target)
	}
	return odd
}

// same reports whether a path is still the file that info is of.
func same(path string, info fs.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, info)
}

// moveTo renames to a name that must be free: renameat2(2).
func moveTo(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if !unsupported(err) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return unix.EEXIST
	}
	return os.Rename(from, to)
}

// putLink makes a symlink under a name for what is kept, unless it is there
// already.
func putLink(dest, path string) error {
	err := os.Symlink(dest, path)
	if errors.Is(err, fs.ErrExist) && leadsTo(path, dest) {
		return nil
	}
	return err
}

// putOver replaces a target by a link where names can't be exchanged, if it is
// still what it has to be: at the last moment before rename(2), as nothing
// tells after it.
func putOver(target, dest string, still func() bool) error {
	tmp := tmpFor(target)
	if err := os.Symlink(dest, tmp); err != nil {
		return err
	}
	var err error = &unplanned{lookAt(target).what}
	if still() {
		err = os.Rename(tmp, target)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// drop removes a symlink of ours from beside a target.
func drop(path, dest string) {
	if leadsTo(path, dest) {
		_ = os.Remove(path)
	}
}

// renew puts a new directory in the place of an empty one: one of a lower layer
// of overlayfs can't be renamed, but it can be renamed over.
func renew(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.ENOTDIR
	}
	tmp := tmpFor(dir)
	if err := makeLike(tmp, info); err != nil {
		return err
	}
	if err := unix.Rename(tmp, dir); err != nil { // os.Rename refuses directories
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

// makeLike makes a directory with another's owner, group and mode, as far as the
// kernel permits. The mode comes last: chown(2) takes set-group-ID away.
func makeLike(dir string, info fs.FileInfo) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	st := info.Sys().(*syscall.Stat_t)
	if err := os.Lchown(dir, int(st.Uid), int(st.Gid)); err != nil {
		_ = os.Lchown(dir, -1, int(st.Gid)) // EPERM: only root may give away
	}
	return unix.Chmod(dir, st.Mode&0o7777)
}

// makeParents makes the directories above a target, 0755 whatever the umask.
func makeParents(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := makeParents(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		return ignoring(err, fs.ErrExist)
	}
	return chmodMade(dir)
}

// ignoring is nil for the errors that don't matter.
func ignoring(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}
