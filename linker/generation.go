package linker

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/target"
)

// Generation names a generation.
type Generation struct {
	Number int
	Hash   files.Hash
	Dir    string       // its directory, absolute
	Shared files.Hash   // of the names and bytes of the staged keys that all replicas share: the same for the same edit, whatever their modes
	Local  string       // the staged keys that Shared leaves out, one a line
	Env    *Environment // what its env lines make; nil: nothing. A generation keeps its pointer
	Keys   *Keys        // a generation keeps its pointer

	AcceptedAt int64 // in seconds since 1970; 0: it wasn't, or nobody knows when

	Fallback bool // some of it came from the fallback, and the mounted configuration has not equalled it since
}

// Environment is what the env lines make of a generation's keys.
type Environment struct {
	Variables []string // NAME=VALUE, in the order of the names
	Newlines  []string // names of variables whose only newline is the last byte, which an editor has added as a rule
}

// generation is a complete copy of every linked key.
type generation struct {
	Generation
	files   map[lines.Key]file           // by path in the generation
	targets map[lines.Target]target.Want // by target
	unmoved func() error                 // returns files.ErrMoved if the volumes no longer look as when it was read; nil: nobody asks any more
	inputs  files.Hash                   // of what comes from volumes; the same as Hash when nothing is rendered

	unrendered bool // what the renderer makes is missing yet
	current    bool // this confit has rendered its inputs, to just these files: while it is the accepted one, they aren't rendered again

	stamps map[lines.Key]stamp // of its files, when this confit wrote them or read them last
	ended  int64               // the ctime of the last one, or when all were looked at, in nanoseconds
}

// Writing is how a change of the volumes comes: what there may be to wait for
// once it has begun.
type Writing int

const (
	FileByFile Writing = iota // there is a plain volume
	SwapBySwap                // several atomic volumes, each of which is swapped as a whole
	OneSwap                   // one atomic volume: a swap is the whole change
)

// know sets what the caller is told of a generation that is written.
func (g *generation) know(dir string) {
	g.Dir = dir
	if g.Keys == nil {
		g.Keys = &Keys{g.files}
	}
}

// Keys are the keys of a generation. Any goroutine may ask once the generation is
// complete.
type Keys struct{ files map[lines.Key]file }

// Sums is the SHA-256, in 64 digits, of each key by its path in the generation. The
// map is the caller's.
func (k *Keys) Sums() map[string]string {
	sums := make(map[string]string, len(k.files))
	for path, f := range k.files {
		sums[string(path)] = f.sum.Hex()
	}
	return sums
}

// paths lists the files of a generation in order; direct keys have none.
func (g *generation) paths() []lines.Key {
	var paths []lines.Key
	for _, p := range files.SortedKeys(g.files) {
		if !g.files[p].direct {
			paths = append(paths, p)
		}
	}
	return paths
}

// file is what is known of a key that was read.
type file struct {
	sum    files.Hash
	mode   fs.FileMode
	owner  uint32 // of the source; after writing, of the copy
	group  uint32
	size   int64 // after writing
	direct bool
	links  []int // the links that ask for it
}

// Change is a key that differs from the accepted generation.
type Change struct {
	Key      lines.Key
	Links    []int      // indices of the links that ask for it
	ModeOnly bool       // the bytes are the same
	Sum, Was files.Hash // of its bytes, now and in the accepted generation; zero: it is missing, or can't be read
}

// Rendered reports that the renderer makes the file.
func (c Change) Rendered() bool { return lines.IsRendered(c.Key) }

// changes lists the keys that differ, in order.
func changes(from, to *generation) []Change {
	var before map[lines.Key]file
	if from != nil {
		before = from.files
	}
	var list []Change
	for _, p := range files.SortedKeys(to.files) {
		new, old := to.files[p], before[p]
		if _, known := before[p]; !known || new.sum != old.sum || new.mode != old.mode {
			list = append(list, Change{Key: p, Links: new.links, ModeOnly: known && new.sum == old.sum, Sum: new.sum, Was: old.sum})
		}
	}
	for _, p := range files.SortedKeys(before) {
		if _, kept := to.files[p]; !kept && (!to.unrendered || !lines.IsRendered(p)) {
			list = append(list, Change{Key: p, Links: before[p].links, Was: before[p].sum})
		}
	}
	return list
}

// stamp holds what changes when somebody touches a file. ctime can't be set
// back, utimensat(2), but it is coarse: see untouched.
type stamp struct {
	dev, ino   uint64
	mode       uint32
	uid, gid   uint32
	size       int64
	mtim, ctim syscall.Timespec
}

func stampOf(st *syscall.Stat_t) stamp {
	return stamp{uint64(st.Dev), uint64(st.Ino), st.Mode, st.Uid, st.Gid, st.Size, st.Mtim, st.Ctim}
}

// untouched reports whether a file is still as it was written. A file's times
// are those of the kernel's last tick, some milliseconds ago. So a file that
// was written in the tick in which the generation was finished may have been
// written again since, with the same times.
func (g *generation) untouched(path lines.Key, info fs.FileInfo) bool {
	s, known := g.stamps[path]
	return known && s == stampOf(info.Sys().(*syscall.Stat_t)) && s.ctim.Nano() < g.ended
}

// touched notes how a file looks that was touched and has the right bytes.
func (g *generation) touched(path lines.Key, info fs.FileInfo) {
	if g.stamps == nil {
		g.stamps = map[lines.Key]stamp{}
	}
	g.stamps[path] = stampOf(info.Sys().(*syscall.Stat_t))
}

// hashOf is the content hash of a generation.
func hashOf(read map[lines.Key]file) files.Hash {
	h := sha256.New()
	for _, path := range files.SortedKeys(read) {
		f := read[path]
		fmt.Fprintf(h, "%q %o %x\n", path, f.mode, f.sum[:]) // the bytes: of a Hash, %x would print its String
	}
	return files.Hash(h.Sum(nil))
}

// maxSize is how many bytes of keys a generation may hold.
const maxSize = 64 << 20

// setAttributes gives a copy, which was made 0600, the group, mode and owner of
// its source, in this order. So nobody else can read it in between, and confit
// sets the mode before it gives the file away. It gives group and owner as far
// as the kernel permits. A mode that can't be set is an error.
func setAttributes(out files.Raw, f file) error {
	if err := unix.Fchown(int(out), -1, int(f.group)); err != nil && !notPermitted(err) {
		return err
	}
	if err := unix.Fchmod(int(out), uint32(f.mode)); err != nil {
		return err
	}
	if int(f.owner) == files.Euid {
		return nil
	}
	if err := unix.Fchown(int(out), int(f.owner), -1); err != nil && !notPermitted(err) {
		return err
	}
	return nil
}

// notPermitted reports that a file can't be given to somebody here: only root may,
// chown(2); the user namespace doesn't map the owner or group, EINVAL of
// user_namespaces(7); a seccomp profile or the file system doesn't offer the
// call.
func notPermitted(err error) bool {
	for _, harmless := range []error{unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP} {
		if errors.Is(err, harmless) {
			return true
		}
	}
	return false
}
