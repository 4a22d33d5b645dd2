package linker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// What counts is the file system of each file itself: below a directory on a
// disk a Secret may be mounted, and a link or ..data may lead to another file
// system. So each file is asked once it is open.

// keepOffDisk refuses volumes that live in memory, also as long as they have no
// keys, when the generations don't.
func (l *Linker) keepOffDisk(volumes []*volume) error {
	for _, v := range volumes {
		if v.root == nil || !v.copied {
			continue
		}
		f, err := v.root.OpenFile(".", os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
		if err != nil {
			return fmt.Errorf("cannot open volume %q: %w", v.dir, cause(err))
		}
		err = l.refuseMemory(f, v, func() string { return v.dir })
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// keepKeyOffDisk is the same for an open key.
func (l *Linker) keepKeyOffDisk(k key, f *os.File) error {
	return l.refuseMemory(f, k.vol, func() string { return mountOf(filepath.Join(k.vol.dir, k.vol.data, k.name)) })
}

func (l *Linker) refuseMemory(f *os.File, v *volume, where func() string) error {
	if l.allowDisk || l.state.memory {
		return nil
	}
	memory, err := v.onMemory(f)
	if err != nil || !memory {
		return err
	}
	return &onDiskError{volume: where(), state: l.state.path}
}

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

// memoryBacked reports tmpfs and ramfs, statfs(2), where Secrets and projected
// volumes are: pkg/volume/secret and pkg/volume/projected of k8s.io/kubernetes.
// overlayfs, of which images are made, counts as a disk, whatever is below it.
func memoryBacked(st unix.Statfs_t) bool {
	kind := uint32(st.Type) // of another width and sign on each platform
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

// onMemory reports whether a path is surely on such a file system.
func onMemory(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && memoryBacked(st)
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
