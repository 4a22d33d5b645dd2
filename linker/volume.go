package linker

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
)

// dataLink is the link that the kubelet swaps, dataDirName of
// atomic_writer.go. Names that start with two dots are the writer's own.
const (
	dataLink = "..data"
	reserved = ".."
)

// volume is one state of a mounted directory, opened once, so that a swap in
// the middle of reading can't mix two.
type volume struct {
	dir    string   // the mount
	atomic bool     // it holds ..data
	data   string   // what ..data points at, the name of a directory in dir
	root   *os.Root // that directory; of a plain volume dir itself; nil when there is none

	copied bool            // a link asks for copies of its keys
	memory map[uint64]bool // whether a device of its files lives in memory
	dirs   []string        // of a plain volume, the directories whose events are hints
	nested map[string]bool // directories of plain volumes that once held ..data
}

// VolumeReport is what a volume was found to be.
type VolumeReport struct {
	Path    string
	Kind    string // atomic, plain, or missing: nothing is mounted there, or its ..data is gone
	Watched string // inotify, or polling: nothing but a new look finds a change
	Mounted string // what ..data points at; "" for a plain one
}

// searchFrom is the directory where the search for the volume begins.
func (s *source) searchFrom() string {
	if s.kind == oneKey {
		return filepath.Dir(s.base)
	}
	return s.base
}

// findVolume names the nearest directory from there upwards that holds ..data,
// else floor.
func (s *source) findVolume() (dir string, atomic bool) {
	dir = s.searchFrom()
	for {
		if s.holdsData(dir) {
			return dir, true
		}
		if dir == s.ceiling || dir == "/" {
			return s.floor, false
		}
		dir = filepath.Dir(dir)
	}
}

// holdsData reports whether a directory is an atomic volume. A symlink below
// the volume itself isn't followed: whoever can write to a volume could lead
// to another one with it.
func (s *source) holdsData(dir string) bool {
	if info, err := os.Lstat(dir); dir != s.floor && (err != nil || info.Mode()&fs.ModeSymlink != 0) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, dataLink))
	return err == nil
}

// openVolume opens what a volume holds now. A volume that isn't there has no
// root; an atomic one whose ..data leads nowhere, or out of it, is invalid.
func openVolume(dir string, atomic bool) (*volume, error) {
	v := &volume{dir: dir, atomic: atomic, memory: map[uint64]bool{}}
	mount, err := os.OpenRoot(asDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("cannot open volume %q: %w", dir, cause(err))
	}
	if !atomic {
		v.root = mount
		return v, nil
	}
	defer mount.Close()
	if v.data, err = mount.Readlink(dataLink); err != nil {
		return v, invalidf("volume %q: cannot read its ..data link: %w", dir, cause(err))
	}
	if v.data != path.Base(v.data) || v.data == ".." || v.data == "." {
		return v, invalidf("volume %q: its ..data link points to %q, not to a directory of the volume", dir, v.data)
	}
	if v.root, err = mount.OpenRoot(asDir(v.data)); err != nil {
		return v, invalidf("volume %q: its ..data link leads nowhere: %w", dir, cause(err))
	}
	return v, nil
}

func tornDownError(dir string) error {
	return invalidf("volume %q lost its ..data link: the kubelet tears a volume down when it can't write it "+
		"(kubernetes#113242); recreate the pod if it doesn't come back", dir)
}

func (v *volume) close() {
	if v.root != nil {
		v.root.Close()
	}
}

// inVolume is a key's or directory's path as the volume knows it.
func (v *volume) inVolume(absolute string) string {
	rel, err := filepath.Rel(v.dir, absolute)
	if err != nil {
		return absolute
	}
	return rel
}

// visible reports whether a name in a volume can be a key's.
func visible(name string) bool { return !strings.HasPrefix(name, reserved) }

func (v *volume) kind() string {
	switch {
	case v.atomic:
		return "atomic"
	case v.root != nil:
		return "plain"
	}
	return "missing"
}

// watched looks for the volume's directories among those that inotify watches.
// A watch goes away with its directory.
func (v *volume) watched(w *watcher, dirs []string) string {
	for _, dir := range dirs {
		if inside(dir, v.dir) && !slices.Contains(w.dirs, dir) && !missing(dir) {
			return "polling"
		}
	}
	if missing(v.dir) {
		return "polling"
	}
	return "inotify"
}

// What counts is the file system of each file itself: below a directory on a
// disk a Secret may be mounted, and a link or ..data may lead to another file
// system. So each file is asked once it is open.

// onMemory asks once for each device. Where fstatfs(2) is refused nobody knows,
// and a Secret is not copied to a disk on a guess.
func (v *volume) onMemory(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	device := deviceOf(info)
	if memory, known := v.memory[device]; known {
		return memory, nil
	}
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return false, fmt.Errorf("cannot tell whether volume %q is memory-backed: fstatfs: %w; if it may be copied to a disk, add --allow-disk", v.dir, err)
	}
	v.memory[device] = memoryBacked(st)
	return v.memory[device], nil
}

// mountOf names what is mounted where a key really is, for a message: the last
// of the directories above it that are on the same device.
func mountOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return filepath.Dir(path)
	}
	info, err := os.Stat(real)
	for err == nil && real != "/" {
		var above fs.FileInfo
		if above, err = os.Stat(filepath.Dir(real)); err != nil || deviceOf(above) != deviceOf(info) {
			break
		}
		real = filepath.Dir(real)
	}
	return real
}

func deviceOf(info fs.FileInfo) uint64 { return uint64(info.Sys().(*syscall.Stat_t).Dev) }
