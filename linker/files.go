package linker

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
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

// checkTrusted refuses a file that somebody else may have put there: only
// confit's user or root may own it, and nobody else may write to it.
func checkTrusted(info fs.FileInfo) error {
	switch {
	case !ours(info):
		return fmt.Errorf("user %d owns it", owner(info))
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

// ours reports whether confit's user or root owns a file.
func ours(info fs.FileInfo) bool { return own(owner(info)) }

// own reports whether a user is confit's own or root.
func own(uid uint32) bool { return uid == 0 || uid == uint32(os.Geteuid()) }

func owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

func group(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

// maxReplaced is how often a file may be replaced while it is opened. A status
// is replaced a few times a second at most.
const maxReplaced = 100

// openRegular opens a regular file for reading. An [os.Root] follows links that
// stay inside, and who may write to a directory can put one there between two
// looks. So what was opened must be what has the name. A FIFO is refused, not
// waited for.
func openRegular(root *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	for range maxReplaced {
		if f, info, err = tryRegular(root, name); !errors.Is(err, errMoved) {
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
		return nil, nil, errors.New("it is " + describe(named.Mode()))
	}
	f, err := root.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, named) {
		err = errMoved
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// dirMode is the mode of every directory that confit makes. An app of another
// user must be able to read below it; the files keep their own modes.
const dirMode = 0o755

// makeDir makes a directory with just that mode, whatever the umask. Root.Chmod
// would set it by fchmodat2(2), which many seccomp profiles refuse.
func makeDir(root *os.Root, name string) error {
	if err := root.Mkdir(name, dirMode); err != nil {
		return err
	}
	dir, err := root.OpenFile(name, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return root.Chmod(name, dirMode) // the umask takes even confit's right to read it
	}
	defer dir.Close()
	return dir.Chmod(dirMode)
}

// makeDirs makes a directory and those above it that are missing.
func makeDirs(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	if _, err := root.Lstat(name); err == nil {
		return nil
	}
	if err := makeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	if err := makeDir(root, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// setMode sets the mode of a directory through a descriptor: Root.Chmod is
// fchmodat2(2), which older seccomp profiles refuse.
func setMode(dir *os.Root, mode fs.FileMode) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(mode)
}

// chmodOpen sets a mode through a descriptor, see setMode. If confit may not
// open what it owns, it sets it by name.
func chmodOpen(root *os.Root, name string, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return root.Chmod(name, mode)
	}
	defer f.Close()
	return f.Chmod(mode)
}

// asDir is a name that only a directory has: with a FIFO in its place, open(2)
// fails with ENOTDIR, where for the bare name it would wait for a writer.
// os.OpenRoot and Root.OpenRoot open the bare name.
func asDir(name string) string { return name + "/." }

// readNames lists a directory.
func readNames(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// missing reports a path that isn't there.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// memoryBacked reports tmpfs and ramfs, statfs(2), on which Secrets and
// projected volumes live: pkg/volume/secret and pkg/volume/projected of
// k8s.io/kubernetes. overlayfs, from which images are made, counts as a disk,
// whatever is below it.
func memoryBacked(st unix.Statfs_t) bool {
	kind := uint32(st.Type) // of another width and sign on each platform
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

// onMemory reports whether a path is known to be on such a file system.
func onMemory(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && memoryBacked(st)
}

// describe names a file's type with its article.
func describe(m fs.FileMode) string {
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

// Names of what confit leaves beside a target. They begin with a dot, so that
// include conf.d/*.conf doesn't find them.
const (
	keptPrefix     = ".confit-kept-"
	replacedPrefix = ".confit-replaced-"
)

// tmpPrefix begins the name of what is not yet in its place. What a killed
// confit leaves under such a name is swept by the next one.
const tmpPrefix = ".confit-tmp-"

// maxName is the longest name of a file.
const maxName = 255

// besideName is a name beside another one. Of one that would be too long, a hash
// stands for the end.
func besideName(name, prefix string) string {
	if len(prefix)+len(name) <= maxName {
		return prefix + name
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s%s-%x", prefix, strings.ToValidUTF8(name[:200], ""), sum[:8])
}

// isOwnName reports a path with an element that only confit gives.
func isOwnName(path string) bool {
	return slices.ContainsFunc([]string{keptPrefix, replacedPrefix, tmpPrefix}, func(prefix string) bool {
		return strings.Contains(path, "/"+prefix)
	})
}

func tmpName() string { return tmpPrefix + strconv.FormatUint(rand.Uint64(), 36) }

// inside reports whether path is dir or below it.
func inside(path, dir string) bool {
	return path == dir || dir == "/" || (strings.HasPrefix(path, dir) && path[len(dir)] == '/')
}

// sortedKeys lists a map's keys in order.
func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
