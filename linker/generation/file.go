package generation

import (
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
)

// File is what is known of a key that was read, as note.json has it, too.
type File struct {
	Sum    files.Hash  `json:"sha256"` // of its bytes
	Mode   fs.FileMode `json:"mode"`   // of the copy
	Owner  uint32      `json:"owner"`  // of the source; after writing, of the copy
	Group  uint32      `json:"group"`
	Size   int64       `json:"size"`             // in bytes, after writing
	Links  []int       `json:"links"`            // the links that ask for it
	Direct bool        `json:"direct,omitempty"` // it has no copy
}

// OpensFor reports whether a user may read a file, as open(2) decides.
func (f File) OpensFor(user uint32, groups []uint32) bool {
	switch {
	case f.Owner == user:
		return f.Mode&0o400 != 0
	case slices.Contains(groups, f.Group):
		return f.Mode&0o040 != 0
	}
	return f.Mode&0o004 != 0
}

// stamp holds what changes when somebody touches a file. ctime can't be set back, but it is coarse: see untouched.
type stamp struct {
	dev, ino   uint64
	mode       uint32
	uid, gid   uint32
	size       int64
	mtim, ctim unix.Timespec
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{uint64(st.Dev), uint64(st.Ino), st.Mode, st.Uid, st.Gid, st.Size, st.Mtim, st.Ctim}
}

// untouched reports whether a file is still as it was written. Its times are those of the kernel's last tick. So what was
// written in the tick in which the generation was finished may have been written again since, with the same times.
func (g *Copy) untouched(path lines.Key, st *unix.Stat_t) bool {
	s, known := g.stamps[path]
	return known && s == stampOf(st) && s.ctim.Nano() < g.ended
}

// give gives a copy what its source has.
func (f File) give(out files.Raw) error {
	return files.Give(int(out), uint32(f.Mode), f.Owner, f.Group)
}

// Finish gives a file that was written its owner, group and mode, and notes what the kernel permitted of that.
func (g *Copy) Finish(p lines.Key, out files.Raw) error {
	f := g.Files[p]
	if err := f.give(out); err != nil {
		return err
	}
	st, err := out.Stat()
	if err != nil {
		return err
	}
	g.seen(p, &st)
	f.Owner, f.Group, f.Size = st.Uid, st.Gid, st.Size
	g.Files[p], g.ended = f, max(g.ended, st.Ctim.Nano())
	return nil
}

// seen notes how a file looks that has the right bytes.
func (g *Copy) seen(path lines.Key, st *unix.Stat_t) {
	if g.stamps == nil {
		g.stamps = map[lines.Key]stamp{}
	}
	g.stamps[path] = stampOf(st)
}
