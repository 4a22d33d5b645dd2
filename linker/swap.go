package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// A step puts one thing in the place of another, and needs to know what it
// replaced.

// unplanned is something at a target for which the step was not planned.
type unplanned struct{ what string }

func (e *unplanned) Error() string { return "by now there is " + e.what }

// exchange exchanges two names: renameat2(2).
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// unsupported reports that renameat2(2) can't do what was asked: on NFS, in
// gVisor, under a seccomp profile that doesn't know it, or with a directory of
// a lower layer of overlayfs. EPERM may also be a real refusal: then the other
// ways fail, too.
func unsupported(err error) bool {
	return err != nil && ignoring(err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.EXDEV, unix.EPERM) == nil
}

// swapIn exchanges what confit put beside a target with what stands there, and
// looks at what came out. If that doesn't fit, it is given back, and fits says
// why.
func swapIn(beside string, at Target, fits func(path string) error) error {
	target := string(at)
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
	case err == nil && !sameFile(beside, mine): // replaced meanwhile: the newer one stays
		_ = exchange(beside, target)
	}
	return odd
}

// sameFile reports whether a path still names the file of info.
func sameFile(path string, info fs.FileInfo) bool {
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

// putLink makes a symlink under the name for what is kept, unless it is there
// already.
func putLink(dest destination, path string) error {
	err := os.Symlink(string(dest), path)
	if errors.Is(err, fs.ErrExist) && leadsTo(path, dest) {
		return nil
	}
	return err
}

// putOver replaces a target by a link where names can't be exchanged. It asks
// still at the last moment, as rename(2) doesn't tell what it has replaced.
func putOver(at Target, dest destination, still func() bool) error {
	target, tmp := string(at), tmpFor(at)
	if err := os.Symlink(string(dest), tmp); err != nil {
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

// leadsTo reports whether a path is a symlink to dest. It allocates nothing.
func leadsTo(path string, dest destination) bool {
	var buf [unix.PathMax]byte
	n, err := unix.Readlink(path, buf[:])
	return err == nil && string(buf[:n]) == string(dest)
}

// removeLink removes a symlink of ours from beside a target.
func removeLink(path string, dest destination) {
	if leadsTo(path, dest) {
		_ = os.Remove(path)
	}
}

// renew replaces an empty directory by a new one: a directory of a lower layer
// of overlayfs can't be renamed, but it can be renamed over.
func renew(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.ENOTDIR
	}
	tmp := filepath.Join(filepath.Dir(dir), tmpName())
	if err := makeLike(tmp, info); err != nil {
		return err
	}
	if err := unix.Rename(tmp, dir); err != nil { // os.Rename refuses directories
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

// makeLike makes a directory with another's owner, group and mode, as far as
// the kernel permits. The mode comes last, as chown(2) clears set-group-ID.
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

// lookAt tells what stands at a path, whoever made it.
func lookAt(path string) place {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{standing: nothing, what: "nothing"}
	case errors.Is(err, unix.ENOTDIR):
		return place{standing: immovable, what: "a file in the place of its directory"}
	case err != nil:
		return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", cause(err))}
	case info.Mode()&fs.ModeSymlink != 0:
		return place{standing: aFile, what: describe(info.Mode())}
	case mounted(path):
		return place{standing: immovable, what: "a mount point"}
	case info.Mode().IsRegular():
		return place{standing: aFile, what: describe(info.Mode())}
	case !info.IsDir():
		return place{standing: immovable, what: "a device, socket or FIFO"}
	}
	if names, err := os.ReadDir(path); err != nil || len(names) > 0 {
		return place{standing: immovable, what: fullDir}
	}
	return place{standing: emptyDir, what: "an empty directory"}
}

// mounted reports whether something is mounted on a path that is no symlink.
// statx(2) tells that since Linux 5.8, unless a seccomp profile refuses it.
func mounted(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	if err == nil && st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	}
	return inMountinfo(path)
}

// keptFor is where a covered file is kept: in the target's directory, so that
// one rename takes it there or back.
func keptFor(target Target) string { return beside(target, keptPrefix) }

// replacedFor is where the newest file is kept that replaced our link. It never
// comes back by itself.
func replacedFor(target Target) string { return beside(target, replacedPrefix) }

func tmpFor(target Target) string { return filepath.Join(filepath.Dir(string(target)), tmpName()) }

func beside(target Target, prefix string) string {
	return filepath.Join(filepath.Dir(string(target)), prefix+filepath.Base(string(target)))
}
