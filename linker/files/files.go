// Package files is the ground that the linker stands on: what confit asks of a file
// system, by which names it calls what it leaves there, and what an error of that is.
//
// It guarantees that
//   - what is opened is what was named: no FIFO is waited for, and no link is followed
//     where it could lead elsewhere;
//   - no mode depends on the umask, and none is set by a system call that seccomp
//     profiles refuse;
//   - an error that may pass by itself is never an [*Invalid];
//   - a name that confit gives is one that [IsOwnName] knows, and is never too long;
//   - what is copied is hashed on the way, and never grows beyond its limit.
//
// It does not know what the files are for: volumes, generations and targets are the
// business of the packages above it.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckTrusted refuses a file that somebody else may have put there: only
// confit's user or root may own it, and nobody else may write to it.
func CheckTrusted(info fs.FileInfo) error {
	switch {
	case !Ours(info):
		return fmt.Errorf("user %d owns it", Owner(info))
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

// Ours reports whether confit's user or root owns a file.
func Ours(info fs.FileInfo) bool { return Own(Owner(info)) }

// Own reports whether a user is confit's own or root.
func Own(uid uint32) bool { return uid == 0 || uid == uint32(Euid) }

// Owner is the number of the user who owns a file.
func Owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// Group is the number of a file's group.
func Group(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

// maxReplaced is how often a file may be replaced while it is opened. A status
// is replaced a few times a second at most.
const maxReplaced = 100

// OpenRegular opens a regular file for reading. An [os.Root] follows links that
// stay inside, and who may write to a directory can put one there between two
// looks. So what was opened must be what has the name. A FIFO is refused, not
// waited for.
func OpenRegular(root *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	for range maxReplaced {
		if f, info, err = tryRegular(root, name); !errors.Is(err, ErrMoved) {
			break
		}
	}
	return f, info, err
}

func tryRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	named, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, nil, errors.New("it is " + Describe(named.Mode()))
	}
	f, err := root.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, named) {
		err = ErrMoved
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// DirMode is the mode of every directory that confit makes. An app of another
// user must be able to read below it; the files keep their own modes.
const DirMode = 0o755

// WriteNew writes a file that isn't there yet. It sets the mode through the
// descriptor, whatever the umask, as the name may lead elsewhere by now. synced
// has it outlive a machine that loses power.
func WriteNew(root *os.Root, name string, data []byte, mode fs.FileMode, synced bool) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if synced && err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// MakeDir makes a directory with just that mode, whatever the umask.
func MakeDir(root *os.Root, name string) error {
	if err := root.Mkdir(name, DirMode); err != nil {
		return err
	}
	return Chmod(root, name, DirMode)
}

// MakeDirs makes a directory and those above it that are missing.
func MakeDirs(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	if _, err := root.Lstat(name); err == nil {
		return nil
	}
	if err := MakeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	if err := MakeDir(root, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Chmod sets a mode through a descriptor: Root.Chmod is fchmodat2(2), which many
// seccomp profiles refuse. If confit may not open what it owns, as the umask may
// have it, it sets the mode by name.
func Chmod(root *os.Root, name string, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return root.Chmod(name, mode)
	}
	defer f.Close()
	return f.Chmod(mode)
}

// AsDir is a name that only a directory has: with a FIFO in its place, open(2)
// fails with ENOTDIR, where for the bare name it would wait for a writer.
// os.OpenRoot and Root.OpenRoot open the bare name.
func AsDir(name string) string { return name + "/." }

// ReadNames lists a directory.
func ReadNames(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// Missing reports a path that isn't there.
func Missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// MemoryBacked reports tmpfs and ramfs, statfs(2), on which Secrets and
// projected volumes live: pkg/volume/secret and pkg/volume/projected of
// k8s.io/kubernetes. overlayfs, from which images are made, counts as a disk,
// whatever is below it.
func MemoryBacked(st unix.Statfs_t) bool {
	kind := uint32(st.Type) // of another width and sign on each platform
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

// OnMemory reports whether a path is known to be on such a file system.
func OnMemory(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && MemoryBacked(st)
}

// Describe names a file's type with its article.
func Describe(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a regular file"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symlink"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Inside reports whether path is dir or below it.
func Inside(path, dir string) bool {
	return path == dir || dir == "/" || (strings.HasPrefix(path, dir) && path[len(dir)] == '/')
}

// SortedKeys lists a map's keys in order.
func SortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// RemoveAll removes a directory, as far as it can be removed. A hook that isn't
// root's may have made directories in it that its own user can't enter.
func RemoveAll(dir *os.Root, name string) {
	if err := dir.RemoveAll(name); !errors.Is(err, fs.ErrPermission) {
		return
	}
	_ = fs.WalkDir(dir.FS(), name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = dir.Chmod(path, 0o700)
		}
		return nil
	})
	_ = dir.RemoveAll(name)
}

// Euid is confit's own user, which never changes.
var Euid = os.Geteuid()
