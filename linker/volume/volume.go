// Package volume finds the volumes of the link lines, looks at them, and reads their keys.
//
// It guarantees that
//   - what is read of a volume is of one state of it, and what has changed meanwhile is
//     noticed: [Reading.CheckUnmoved];
//   - nothing that it opens blocks, and no link leads out of a volume;
//   - no key that lives in memory gets to a disk unless that is allowed;
//   - a copy is never more readable than its key.
//
// It does not know which generation is in force, and writes none: it hands out bytes, and
// what is known of them.
package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
)

// volume is one state of a mounted directory. It is opened once, so that a swap
// in the middle of reading can't mix two states.
type volume struct {
	dir    string   // the mount
	atomic bool     // it holds ..data
	data   string   // what ..data points at, the name of a directory in dir
	root   *os.Root // that directory; for a plain volume dir itself; nil if there is none
	odd    error    // something that is no directory is in its place
	self   *os.File // the same, to open what is right in it

	print  string          // what its directory looked like, cheap to compare
	copied bool            // a link asks for copies of its keys
	memory map[uint64]bool // by device of its files: whether it lives in memory
	dirs   []string        // for a plain volume, the directories whose events are hints
	once   map[string]bool // see [Reader]
	torn   bool            // it was atomic, and no longer is
}

// findVolume finds the atomic volume of a line; else it is its floor.
func findVolume(s *lines.Line) (dir string, atomic bool) {
	return nearest(s, func(dir string) bool { return holdsData(s, dir) })
}

// nearest returns the nearest directory that is so, from a line's keys upwards; else its floor.
func nearest(s *lines.Line, is func(dir string) bool) (dir string, found bool) {
	dir = s.SearchFrom()
	for {
		if is(dir) {
			return dir, true
		}
		if dir == s.Ceiling || dir == "/" {
			return s.Floor, false
		}
		dir = filepath.Dir(dir)
	}
}

// holdsData reports whether a directory is an atomic volume. Below the volume it follows
// no symlink: who can write there could make it lead to another.
func holdsData(s *lines.Line, dir string) bool {
	if info, err := os.Lstat(dir); dir != s.Floor && (err != nil || info.Mode()&fs.ModeSymlink != 0) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, lines.DataLink))
	return err == nil
}

// openVolume opens what a volume holds now. A volume that isn't there has no
// root. An atomic one is invalid if its ..data leads nowhere, or out of it.
func openVolume(dir string, atomic bool) (*volume, error) {
	v := &volume{dir: dir, atomic: atomic, memory: map[uint64]bool{}}
	mount, err := os.OpenRoot(files.AsDir(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return v, nil
	case errors.Is(err, unix.ENOTDIR):
		v.odd = fmt.Errorf("cannot open volume %q: %w", dir, files.Cause(err))
		return v, nil
	case err != nil:
		return v, fmt.Errorf("cannot open volume %q: %w", dir, files.Reason(err))
	}
	if !atomic {
		v.root = mount
		return v, v.openSelf()
	}
	defer mount.Close()
	if v.data, err = mount.Readlink(lines.DataLink); err != nil {
		return v, files.Invalidf("volume %q: cannot read its ..data link: %w", dir, files.Cause(err))
	}
	if v.data != path.Base(v.data) || v.data == ".." || v.data == "." {
		return v, files.Invalidf("volume %q: its ..data link points to %q, not to a directory of the volume", dir, v.data)
	}
	if v.root, err = mount.OpenRoot(files.AsDir(v.data)); err != nil {
		return v, files.Invalidf("volume %q: cannot follow its ..data link: %w", dir, files.Reason(err))
	}
	return v, v.openSelf()
}

// openSelf opens the directory of root once more, as a Root doesn't show its
// descriptor. O_PATH needs no right to list it.
func (v *volume) openSelf() (err error) {
	if v.self, err = v.root.OpenFile(".", unix.O_PATH|unix.O_DIRECTORY|unix.O_NONBLOCK, 0); err != nil {
		v.root.Close()
		v.root = nil
		return fmt.Errorf("cannot open volume %q: %w", v.dir, files.Cause(err))
	}
	return nil
}

// openFile opens a file of the volume. What lies right in it needs no walk, but
// for a link; everything else goes through the Root, which lets nothing leave the
// volume.
func (v *volume) openFile(name string, flags int) (files.Raw, error) {
	if v.self != nil && !strings.Contains(name, "/") {
		if f, err := files.OpenAt(int(v.self.Fd()), name, flags, 0); err == nil {
			return f, nil
		}
	}
	f, err := v.root.OpenFile(name, flags, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return files.Raw(fd), err
}

// identity is that of the opened directory.
func (v *volume) identity() string {
	info, err := v.self.Stat()
	if err != nil {
		return ""
	}
	return identity(info, v.atomic)
}

// identity changes when a file is replaced or, with times, written to. Those of a
// plain volume don't count, as unrelated files may come and go in it.
func identity(info fs.FileInfo, times bool) string {
	st := info.Sys().(*syscall.Stat_t)
	if !times {
		return fmt.Sprintf(" %d:%d", st.Dev, st.Ino)
	}
	return fmt.Sprintf(" %d:%d %d %d %d", st.Dev, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
}

// swapped reports whether ..data leads elsewhere by now, or something has changed
// behind it.
func (v *volume) swapped() bool {
	info, err := os.Stat(filepath.Join(v.dir, lines.DataLink))
	return err != nil || identity(info, true) != v.print
}

func tornDownError(dir string) error {
	return files.Invalidf("volume %q lost its ..data link: the kubelet tears a volume down when it can't write it "+
		"(kubernetes#113242); recreate the pod if it doesn't come back", dir)
}

func (v *volume) close() {
	if v.root != nil {
		v.root.Close()
		v.self.Close()
	}
}

// inVolume is the path of a key or directory inside the volume.
func (v *volume) inVolume(absolute string) string {
	rel, _ := filepath.Rel(v.dir, absolute)
	return rel
}

// visible reports whether a name in a volume can be that of a key: others are the writer's own,
// atomic_writer.go.
func visible(name string) bool { return !strings.HasPrefix(name, "..") }

// Each file is asked for its own file system, once it is open: below a
// directory on a disk a Secret may be mounted, and a link or ..data may lead to
// another file system.

// onMemory asks once for each device. If fstatfs(2) is refused, nobody knows,
// and a Secret is not copied to a disk on a guess.
func (v *volume) onMemory(f files.Raw, device uint64) (bool, error) {
	if memory, known := v.memory[device]; known {
		return memory, nil
	}
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f), &st); err != nil {
		return false, fmt.Errorf("cannot tell whether volume %q is memory-backed: fstatfs: %w; if it may be copied to a disk, add --allow-disk", v.dir, err)
	}
	v.memory[device] = files.MemoryBacked(st)
	return v.memory[device], nil
}

// mountOf finds, for a message, where the file system of a key is mounted: at
// the highest directory above the key on the same device.
func mountOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return filepath.Dir(path)
	}
	for real != "/" && deviceOf(real) == deviceOf(filepath.Dir(real)) {
		real = filepath.Dir(real)
	}
	return real
}

func deviceOf(path string) uint64 {
	var st unix.Stat_t
	_ = unix.Stat(path, &st)
	return uint64(st.Dev)
}

// readDir lists a directory in order.
func (v *volume) readDir(name string) ([]fs.DirEntry, error) {
	if strings.Count(name, "/") > maxDepth {
		return nil, fmt.Errorf("more than %d directories are nested", maxDepth)
	}
	f, err := v.root.OpenFile(files.AsDir(name), os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// maxDepth is how many directories may be nested in a volume. Each is opened by
// its path from the volume, so the time grows with the square of the depth. A
// tree without end would be walked for ever.
const maxDepth = 100

// onDiskError refuses to write what lives in memory to a disk.
type onDiskError struct{ volume, state string }

func (e *onDiskError) Error() string {
	return fmt.Sprintf("cannot stage volume %q on disk: it is memory-backed and state directory %q is not\n%s\n"+
		"or accept it with --allow-disk", e.volume, e.state, statedir.MountHint(e.state, "{medium: Memory}"))
}
