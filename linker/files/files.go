// Package files is the ground that the linker stands on: what is known of a file, by which
// names confit calls what it leaves, and what an error of that is.
//
// It guarantees that
//   - an error that may pass by itself is never an [*Invalid];
//   - a name that confit gives is one that [IsOwnName] knows, and is never too long;
//   - what is copied is hashed on the way, and never grows beyond its limit.
//
// It does not know what the files are for: volumes, generations and targets are the
// business of the packages above it.
package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// CheckTrusted refuses a file that somebody else may have put there: only
// confit's user or root may own it, and nobody else may write to it.
func CheckTrusted(st *unix.Stat_t) error {
	switch {
	case !Own(st.Uid):
		return fmt.Errorf("user %d owns it", st.Uid)
	case st.Mode&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

// Own reports whether a user is confit's own or root.
func Own(uid uint32) bool { return uid == 0 || uid == uint32(Euid) }

// DirMode is the mode of every directory that confit makes. An app of another
// user must be able to read below it; the files keep their own modes.
const DirMode = 0o755

// AsDir is a name that only a directory has: with a FIFO in its place, open(2)
// fails with ENOTDIR, where for the bare name it would wait for a writer.
// os.OpenRoot and Root.OpenRoot open the bare name.
func AsDir(name string) string { return name + "/." }

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

// kinds are the types of files, with their articles.
var kinds = map[fs.FileMode]string{
	0: "a regular file", fs.ModeDir: "a directory", fs.ModeSymlink: "a symlink", fs.ModeNamedPipe: "a FIFO", fs.ModeSocket: "a socket",
	fs.ModeDevice: "a device", fs.ModeDevice | fs.ModeCharDevice: "a device",
}

// Describe names a file's type with its article.
func Describe(m fs.FileMode) string { return cmp.Or(kinds[m.Type()], "a special file") }

// Inside reports whether path is dir or below it.
func Inside(path, dir string) bool {
	return path == dir || dir == "/" || (strings.HasPrefix(path, dir) && path[len(dir)] == '/')
}

// SortedKeys lists a map's keys in order.
func SortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Euid is confit's own user, which never changes.
var Euid = os.Geteuid()
