package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// planTargets is plan on the file system as it is.
func (l *Linker) planTargets(wanted map[string]want) ([]step, error) {
	return plan(wanted, l.made, func(target string) place {
		return l.find(target, wanted[target].dest)
	})
}

// find looks at what stands at a target that is to point at dest.
func (l *Linker) find(target, dest string) place {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, target, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	if errors.Is(err, unix.ENOENT) {
		return place{standing: nothing}
	}
	if err != nil {
		return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", err)}
	}
	if st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return place{standing: immovable, what: "a mount point"}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return l.findLink(target, dest)
	case unix.S_IFREG:
		return place{standing: aFile}
	case unix.S_IFDIR:
		if names, err := os.ReadDir(target); err == nil && len(names) == 0 {
			return place{standing: emptyDir}
		}
		return place{standing: immovable, what: "a directory that isn't empty"}
	}
	return place{standing: immovable, what: "a device, socket or FIFO"}
}

func (l *Linker) findLink(target, dest string) place {
	to, err := os.Readlink(target)
	if err != nil {
		return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", err)}
	}
	_, err = os.Lstat(keptFor(target))
	kept := err == nil
	switch {
	case to == dest && dest != "":
		return place{standing: rightLink, kept: kept}
	case l.ours(target, to):
		return place{standing: ourLink, kept: kept}
	}
	return place{standing: aFile}
}

// ours reports whether a symlink at target is one that confit made: it leads
// into the live generation, or the list says so.
func (l *Linker) ours(target, to string) bool {
	return inside(to, filepath.Join(l.state.path, liveName)) || (to != "" && l.made[target] == to)
}

// keptFor is where that which stood at a target is kept while it is covered:
// in the same directory, so that it is there and back in one rename.
func keptFor(target string) string {
	return filepath.Join(filepath.Dir(target), keptPrefix+filepath.Base(target))
}

// do carries out one step.
func (s step) do() error {
	var err error
	switch s.verb {
	case link:
		if err = makeParents(filepath.Dir(s.target)); err == nil {
			err = replaceByLink(s.target, s.dest)
		}
	case cover:
		err = coverByLink(s.target, s.dest)
	case uncover:
		err = restore(s.target)
	case remove:
		err = ignoring(os.Remove(s.target), fs.ErrNotExist, unix.EROFS) // read-only: it dangles, which reads the same
	}
	if err != nil {
		return fmt.Errorf("cannot %s target %q: %w%s", [...]string{"link", "link", "restore", "remove"}[s.verb], s.target, cause(err), readOnlyHint(err))
	}
	return nil
}

func readOnlyHint(err error) string {
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		return "\nmake the links when the image is built, with confit --bake, or mount an emptyDir on the target's directory"
	}
	return ""
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
	return os.Chmod(dir, dirMode)
}

// replaceByLink puts a symlink in the place of nothing or of another symlink,
// by rename: a reader finds the old or the new.
func replaceByLink(target, dest string) error {
	tmp := filepath.Join(filepath.Dir(target), tmpPrefix+randomName())
	if err := os.Symlink(dest, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, target); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

// coverByLink makes the link under the name for what is kept, and exchanges
// the two: renameat2(2). Where the file system can't (NFS, gVisor, a directory
// of a lower layer of overlayfs) what stood there is kept by a hard link or, if
// it is a directory, made again.
func coverByLink(target, dest string) error {
	kept := keptFor(target)
	for n := 2; ; n++ {
		if err := os.Symlink(dest, kept); err == nil {
			break
		} else if !errors.Is(err, fs.ErrExist) || n > 99 {
			return err
		}
		kept = fmt.Sprintf("%s.%d", keptFor(target), n) // an earlier one is kept, too
	}
	if exchange(kept, target) == nil {
		return nil
	}
	if err := os.Remove(kept); err != nil {
		return err
	}
	if info, err := os.Lstat(target); err == nil && info.IsDir() {
		return coverDirectory(target, kept, dest, info)
	}
	if err := unix.Linkat(unix.AT_FDCWD, target, unix.AT_FDCWD, kept, 0); err != nil {
		return err
	}
	return replaceByLink(target, dest)
}

func coverDirectory(target, kept, dest string, info fs.FileInfo) error {
	if err := os.Mkdir(kept, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Remove(target); err != nil {
		return err
	}
	return replaceByLink(target, dest)
}

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// restore puts what was kept in the place of our link. A directory can't be
// renamed over a link, so the two are exchanged.
func restore(target string) error {
	kept := keptFor(target)
	err := os.Rename(kept, target)
	if !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EISDIR) && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if exchange(kept, target) == nil {
		return os.Remove(kept)
	}
	if err := os.Remove(target); err != nil {
		return err
	}
	return os.Rename(kept, target)
}

// sweepTargets removes what a killed confit left beside targets: temporary
// links, and links of ours under a name for what is kept. Nothing else bears
// such a name and is a symlink into the live generation or a volume.
func (l *Linker) sweepTargets() {
	dirs := map[string]bool{}
	for target := range l.made {
		dirs[filepath.Dir(target)] = true
	}
	for i := range l.links {
		dir := l.links[i].Target
		if l.links[i].single() {
			dir = filepath.Dir(dir)
		}
		dirs[dir] = true
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			l.sweepEntry(dir, e)
		}
	}
}

func (l *Linker) sweepEntry(dir string, e os.DirEntry) {
	path := filepath.Join(dir, e.Name())
	temporary := strings.HasPrefix(e.Name(), tmpPrefix)
	name, kept := strings.CutPrefix(e.Name(), keptPrefix)
	if e.Type() != fs.ModeSymlink || (!temporary && !kept) {
		return
	}
	to, err := os.Readlink(path)
	if err == nil && (temporary || l.ours(filepath.Join(dir, name), to)) {
		_ = os.Remove(path)
	}
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
