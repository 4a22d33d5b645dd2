// Package generation knows the generations on the disk: what is in each, and whether it still is
// that.
//
// It guarantees that
//   - a generation that [Store.Restore] has put right has its modes and owners. A key has the bytes
//     that were written, or is named;
//   - a damaged generation is replaced as a whole, by one rename(2): its reader finds the old one
//     or the new one;
//   - what a hook changed in its candidate is named, and what it left there is removed.
//
// It does not know how keys are found and read in volumes, nor which generation is in force.
package generation

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/target"
)

// Generation names a generation, as note.json has it, too.
type Generation struct {
	Number int        `json:"number"`
	Hash   files.Hash `json:"hash"`
	Dir    string     `json:"-"` // its directory, absolute
	// of the names and bytes of the staged keys that all replicas share: the same for the same
	// edit, whatever their modes
	Shared files.Hash   `json:"-"`
	Inputs files.Hash   `json:"-"` // of what comes from volumes; the same as Hash when nothing is rendered
	Local  string       `json:"-"` // the staged keys that Shared leaves out, one a line
	Env    *Environment `json:"-"` // what its env lines make; nil: nothing. A generation keeps its pointer
	Sums   *Sums        `json:"-"` // a generation keeps its pointer

	AcceptedAt int64 `json:"acceptedAt,omitempty"` // in seconds since 1970; 0: it wasn't, or nobody knows when

	// some of it came from the fallback, and the mounted configuration has not equalled it since
	Fallback bool `json:"fallback,omitempty"`
}

// Environment is what the env lines make of a generation's keys.
type Environment struct {
	Variables []string // NAME=VALUE, in the order of the names
	Newlines  []string // names of variables whose only newline is the last byte, which an editor has added as a rule
}

// Stored is a generation on the disk: a complete copy of every linked key.
type Stored struct {
	Generation
	Files   map[lines.Key]File           // by path in the generation
	Targets map[lines.Target]target.Want // by target
	// returns files.ErrMoved if the volumes no longer look as when it was read; nil: nobody asks
	// any more
	Unmoved func() error

	Unrendered bool // what the renderer makes is missing yet
	// this confit has rendered its inputs, to just these files: while it is the accepted one, they
	// aren't rendered again
	Current bool

	stamps map[lines.Key]files.Stat // of its files, when this confit wrote them or read them last
	ended  int64                    // the ctime of the last one, or when all were looked at, in nanoseconds
}

// Know sets what the caller is told of a generation that is written. dir is its directory,
// absolute.
func (g *Stored) Know(dir string) {
	g.Dir = dir
	if g.Sums == nil {
		g.Sums = &Sums{g.Files}
	}
}

// Sums are the hashes of the keys of a generation. Any goroutine may ask once that is complete.
type Sums struct{ files map[lines.Key]File }

// ByKey is the SHA-256, in 64 digits, of each key by its path in the generation. The map is the
// caller's.
func (k *Sums) ByKey() map[string]string {
	sums := make(map[string]string, len(k.files))
	for path, f := range k.files {
		sums[string(path)] = f.Sum.Hex()
	}
	return sums
}

// HashOf is the content hash of a generation: of the names, modes and bytes of its keys.
func HashOf(read map[lines.Key]File) files.Hash {
	h := sha256.New()
	for _, path := range files.SortedKeys(read) {
		f := read[path]
		fmt.Fprintf(h, "%q %o %x\n", path, f.Mode, f.Sum[:]) // the bytes: of a Hash, %x would print its String
	}
	return files.Hash(h.Sum(nil))
}

// Unreadable is what a file of a group can't have in its mode if nobody may read it who may not
// read each staged key.
func (g *Stored) Unreadable(group uint32) (mode fs.FileMode) {
	for _, f := range g.Files {
		switch {
		case f.Direct:
		case f.Mode&0o040 == 0:
			mode |= 0o077
		case f.Mode&0o004 != 0:
		case f.Group == group:
			mode |= 0o007
		default:
			mode |= 0o077
		}
	}
	return mode
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

// Changes lists the keys that differ, in order. from may be nil: then all of them do.
func Changes(from, to *Stored) []Change {
	var before map[lines.Key]File
	if from != nil {
		before = from.Files
	}
	var list []Change
	for _, p := range files.SortedKeys(to.Files) {
		new, old := to.Files[p], before[p]
		if _, known := before[p]; !known || new.Sum != old.Sum || new.Mode != old.Mode {
			list = append(list, Change{Key: p, Links: new.Links, ModeOnly: known && new.Sum == old.Sum, Sum: new.Sum,
				Was: old.Sum})
		}
	}
	for _, p := range files.SortedKeys(before) {
		if _, kept := to.Files[p]; !kept && (!to.Unrendered || !lines.IsRendered(p)) {
			list = append(list, Change{Key: p, Links: before[p].Links, Was: before[p].Sum})
		}
	}
	return list
}

// File is what is known of a key that was read, as note.json has it, too.
type File struct {
	Sum    files.Hash  `json:"sha256"` // of its bytes
	Mode   fs.FileMode `json:"mode"`   // of the source or its line, without write bits; see copyMode
	Owner  uint32      `json:"owner"`  // of the source; after writing, of the copy
	Group  uint32      `json:"group"`
	Size   int64       `json:"size"`             // in bytes, after writing
	Links  []int       `json:"links"`            // the links that ask for it
	Direct bool        `json:"direct,omitempty"` // it has no copy
	// its copy is its owner's alone; before writing, where the source's owner can't be given
	Alone bool `json:"alone,omitempty"`
}

// copyMode is the mode of the copy.
func (f File) copyMode() fs.FileMode {
	switch {
	case !f.Alone:
		return f.Mode
	case f.Mode&0o111 != 0:
		return 0o500
	}
	return 0o400
}

// KeepsGroupOut reports that the copy's group may not read what the source's group may.
func (f File) KeepsGroupOut() bool { return f.Alone && f.Mode&0o040 != 0 }

// OpensFor reports whether a user may read a file, as open(2) decides.
func (f File) OpensFor(user uint32, groups []uint32) bool {
	switch mode := f.copyMode(); {
	case f.Owner == user:
		return mode&0o400 != 0
	case slices.Contains(groups, f.Group):
		return mode&0o040 != 0
	default:
		return mode&0o004 != 0
	}
}

// stampOf is what changes when somebody touches a file: all but the time of its last reading and
// its blocks, which a file system may give it later. ctime can't be set back, but it is coarse: see
// untouched.
func stampOf(st files.Stat) files.Stat {
	st.Atim, st.Blocks = unix.Timespec{}, 0
	return st
}

// untouched reports whether a file is still as it was written. Its times are those of the kernel's
// last tick. So what was written in the tick in which the generation was finished may have been
// written again since, with the same times.
func (g *Stored) untouched(path lines.Key, st *files.Stat) bool {
	s, known := g.stamps[path]
	return known && s == stampOf(*st) && s.Ctim.Nano() < g.ended
}

// Finish gives a file that was written its owner, group and mode, and notes what the kernel
// permitted of that. The mode comes before the owner, as only the owner can set it; so a copy
// becomes its owner's alone at last.
func (g *Stored) Finish(p lines.Key, out files.Raw) error {
	f := g.Files[p]
	err := files.Give(int(out), uint32(f.Mode), f.Owner, f.Group)
	var st files.Stat
	if err == nil {
		st, err = out.Stat()
	}
	f.Alone = f.Alone && st.Uid != f.Owner
	if err == nil && f.Alone {
		err = unix.Fchmod(int(out), uint32(f.copyMode()))
		if err == nil {
			st, err = out.Stat()
		}
	}
	if err != nil {
		return err
	}
	g.seen(p, &st)
	f.Owner, f.Group, f.Size = st.Uid, st.Gid, st.Size
	g.Files[p], g.ended = f, max(g.ended, st.Ctim.Nano())
	return nil
}

// seen notes how a file looks that has the right bytes.
func (g *Stored) seen(path lines.Key, st *files.Stat) {
	if g.stamps == nil {
		g.stamps = map[lines.Key]files.Stat{}
	}
	g.stamps[path] = stampOf(*st)
}
