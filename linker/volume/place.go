package volume

import (
	"path/filepath"

	"confit/linker/lines"
)

// What is not copied is read in its place, by the path of the volume itself.

// PathIn is the path of a key or directory, by its name in a volume. In an atomic one it leads through
// ..data: a new key's visible link is made only after the swap.
func PathIn(dir string, atomic bool, name string) string {
	if atomic {
		return filepath.Join(dir, lines.DataLink, name)
	}
	return filepath.Join(dir, name)
}

// InPlace is the path of a key in its volume.
func (k Key) InPlace() string { return PathIn(k.vol.dir, k.vol.atomic, k.name) }

// DirInPlace is the path of the directory that a line links as a whole, in the volume that
// is there now.
func DirInPlace(s *lines.Line) string {
	dir, atomic := findVolume(s)
	name, _ := filepath.Rel(dir, s.Base)
	return PathIn(dir, atomic, name)
}
