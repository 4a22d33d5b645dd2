// Package volume finds the volumes of the link lines, looks at them, and reads their keys.
//
// It guarantees that
//   - what is read of a volume is of one state of it, and what has changed meanwhile is noticed:
//     [Reading.CheckUnmoved];
//   - nothing that it opens blocks, and no link leads out of a volume;
//   - no key that lives in memory gets to a disk unless that is allowed;
//   - a copy is never more readable than its key.
//
// It does not know which generation is in force, and writes none: it hands out bytes, and what is
// known of them.
package volume

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// volume is one state of a mounted directory, opened once, so that a swap in the middle of reading
// can't mix two.
type volume struct {
	dir    string       // the mount
	atomic bool         // it holds ..data
	data   string       // what ..data points at, the name of a directory in dir
	root   *safedir.Dir // that directory; for a plain volume dir itself; nil if there is none
	isFile bool         // something that is no directory is in its place

	mirrored bool // it holds ..data, and isn't changed by one rename of that: it was written to since

	print      string            // what its directory looked like, cheap to compare
	copied     bool              // a link asks for copies of its keys
	inFallback bool              // it is the fallback's
	memory     map[uint64]string // by device of its files: how it lives in memory; "": it doesn't
	dirs       []string          // for a plain volume, the directories whose events are hints
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
		if dir == s.Root || dir == "/" {
			return s.Floor, false
		}
		dir = filepath.Dir(dir)
	}
}

// holdsData reports an atomic volume. Below a line's floor it follows no symlink: who writes there
// could lead it elsewhere.
func holdsData(s *lines.Line, dir string) bool {
	if info, err := os.Lstat(dir); dir != s.Floor && (err != nil || info.Mode()&fs.ModeSymlink != 0) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, lines.DataLink))
	return err == nil
}

// openVolume opens what a volume holds now. A volume that isn't there has no root. An atomic one is
// invalid if its ..data is gone, leads nowhere, or out of it.
func openVolume(dir string, atomic bool) (*volume, error) {
	v := &volume{dir: dir, atomic: atomic, memory: map[uint64]string{}}
	mount, err := safedir.At(dir)
	switch {
	case atomic && (err == unix.ENOENT || err == unix.ENOTDIR):
		return v, tornDownError(dir)
	case err == unix.ENOENT:
		return v, nil
	case err == unix.ENOTDIR:
		v.isFile = true
		return v, nil
	case err != nil:
		return v, fmt.Errorf("cannot open volume %q: %w", dir, files.Reason(err))
	}
	root := mount
	if atomic {
		defer mount.Close()
		v.data, err = mount.Readlink(lines.DataLink)
		switch {
		case err == unix.ENOENT:
			return v, tornDownError(dir)
		case err != nil:
			return v, files.Invalidf("volume %q: cannot read its ..data link: %w", dir, err)
		case v.data != path.Base(v.data) || v.data == ".." || v.data == ".":
			return v, files.Invalidf("volume %q: its ..data link points to %q, not to a directory of the volume", dir,
				v.data)
		}
		link, err := mount.Stat(lines.DataLink)
		if err == nil {
			root, err = mount.OpenWithin(v.data)
		}
		if err != nil {
			return v, files.Invalidf("volume %q: cannot follow its ..data link: %w", dir, files.Reason(err))
		}
		v.mirrored = root.St.Mtim.Nano() > link.Mtim.Nano()
	}
	v.root = root
	return v, nil
}

// swapped reports that one rename changes the whole volume: the kubelet's writer makes ..data when
// all that it leads to is there. Kata's agent, which mirrors small volumes into the guest, makes
// files and links in any order.
func (v *volume) swapped() bool { return v.atomic && !v.mirrored }

// identity changes when a file is replaced or, with times, written to. Those of a plain volume
// don't count, as unrelated files may come and go in it.
func identity(st *files.Stat, times bool) string {
	if !times {
		return fmt.Sprintf(" %d:%d", st.Dev, st.Ino)
	}
	return fmt.Sprintf(" %d:%d %d %d %d", st.Dev, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
}

func tornDownError(dir string) error {
	return files.Invalidf("volume %q lost its ..data link: the kubelet tears a volume down when it can't write it "+
		"(kubernetes#113242); recreate the pod if it doesn't come back", dir)
}

// inVolume is the path of a key or directory inside the volume.
func (v *volume) inVolume(absolute string) string {
	rel, _ := filepath.Rel(v.dir, absolute)
	return rel
}
