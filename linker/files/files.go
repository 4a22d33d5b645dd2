// Package files is the ground that the linker stands on: what is known of a file, by which names
// confit calls what it leaves, and what an error of that is.
//
// It guarantees that
//   - an error that may pass by itself is never an [*Invalid];
//   - a name that confit gives is one that [IsOwnName] knows, and is never too long;
//   - what is copied is hashed on the way, and never grows beyond its limit.
//
// It does not know what the files are for: volumes, generations and targets are the business of the
// packages above it.
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

// CheckTrusted refuses what somebody else may have put there: only confit's user or root may own
// it, and write to it.
func CheckTrusted(st *Stat) error {
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

// IsKubelets reports a directory that is a mounted volume of keys, DataLink and all: nothing else
// can be made there.
func IsKubelets(dir string) bool {
	_, err := os.Lstat(dir + "/..data")
	return err == nil
}

// DirMode is the mode of directories that confit makes: another user's app reads below them, as
// modes of files allow.
const DirMode = 0o755

// AsDir is a name that only a directory has: with a FIFO in its place, open(2) fails with ENOTDIR,
// where for the bare name it would wait for a writer. os.OpenRoot and Root.OpenRoot open the bare
// name.
func AsDir(name string) string { return name + "/." }

// Missing reports a path that isn't there.
func Missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// MemoryBacked reports tmpfs and ramfs, statfs(2), on which Secrets and projected volumes live:
// pkg/volume/secret and pkg/volume/projected of k8s.io/kubernetes. overlayfs, of which images are
// made, counts as a disk.
func MemoryBacked(st unix.Statfs_t) bool {
	kind := uint32(st.Type) // of another width and sign on each platform
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

// MayBeMemory reports a file system that doesn't tell: gVisor shows each volume of the node as 9p,
// those of Secrets, too.
func MayBeMemory(st unix.Statfs_t) bool { return uint32(st.Type) == unix.V9FS_MAGIC }

// OnNetwork reports a file system that waits for a server: NFS, SMB, Ceph, AFS.
func OnNetwork(st unix.Statfs_t) bool {
	return slices.Contains([]uint32{unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		unix.CIFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC}, uint32(st.Type))
}

// OnMemory reports whether a path is known to be on a file system that lives in memory.
func OnMemory(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && MemoryBacked(st)
}

// kinds are the types of files, with their articles.
var kinds = map[fs.FileMode]string{
	0: "a regular file", fs.ModeDir: "a directory", fs.ModeSymlink: "a symlink", fs.ModeNamedPipe: "a FIFO",
	fs.ModeSocket: "a socket",
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

// Invalid is the error of volumes that give no candidate, until one changes: a key is missing, no
// regular file, too large.
type Invalid struct{ err error }

func (e *Invalid) Error() string { return e.err.Error() }

func (e *Invalid) Unwrap() error { return e.err }

// IsInvalid reports an error that is an [*Invalid], or wraps one.
func IsInvalid(err error) bool {
	_, invalid := errors.AsType[*Invalid](err)
	return invalid
}

// IsDenied reports that confit's user has no right to what was asked for.
func IsDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// Invalidf is [AsInvalid] of an error with this text, as of [fmt.Errorf].
func Invalidf(format string, args ...any) error {
	return AsInvalid(fmt.Errorf(format, args...))
}

// MayPass reports that the cause of an error, or of one of those that it joins, is the system's,
// and may pass by itself: it says nothing of a file, which may be there, and whole. EACCES stays
// until somebody changes a mode.
func MayPass(err error) bool {
	return err != nil && Ignoring(err, unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR,
		unix.EAGAIN) == nil
}

// AsInvalid makes an error an [*Invalid], unless it may pass.
func AsInvalid(err error) error {
	if MayPass(err) {
		return err
	}
	return &Invalid{err}
}

// MaxProblems bounds how many problems one message lists.
const MaxProblems = 10

// JoinInvalid makes one error of many, or nil of none. It is the first that may pass, if there is
// one: the others are told when that is over.
func JoinInvalid(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	if i := slices.IndexFunc(wrong, MayPass); i >= 0 {
		return wrong[i]
	}
	if more := len(wrong) - MaxProblems; more > 0 {
		wrong = append(wrong[:MaxProblems:MaxProblems], fmt.Errorf("and %d more", more))
	}
	return &Invalid{errors.Join(wrong...)}
}

// ErrMoved says that the volumes changed while they were read.
var ErrMoved = errors.New("the volume changed while it was read")

// Cause is the bare reason inside a path error: the path would be said twice, or be relative to
// what the reader can't know.
func Cause(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

// Reason is the [Cause] of what can't be read, and how a pod lets confit read what it may not.
func Reason(err error) error {
	err = Cause(err)
	if !IsDenied(err) {
		return err
	}
	return fmt.Errorf("%w; let user %d read it: by fsGroup of the pod, defaultMode of the volume, or the file's mode",
		err, Euid)
}

// Ignoring returns nil for a harmless error.
func Ignoring(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}

// Joined joins the errors of a map in the order of its keys.
func Joined[K ~string](wrong map[K]error) error {
	var all []error
	for _, key := range SortedKeys(wrong) {
		if err := wrong[key]; !slices.Contains(all, err) { // many may have the same
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// IsKernels reports a directory of a file system in which nobody can make a symlink, whatever its
// mode says.
func IsKernels(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && slices.Contains([]int64{
		unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
		unix.DEVPTS_SUPER_MAGIC,
	}, int64(st.Type))
}
