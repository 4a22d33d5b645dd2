package seed

import (
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/way"
)

// sweep removes what a killed confit left.
func (c *work) sweep(dir *way.Dir) {
	entries, _ := dir.List()
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), files.TmpPrefix) {
			remove(dir, e.Name())
		}
	}
}

// remove removes a copy, as far as it can be removed. Its directories may be read-only.
func remove(dir *way.Dir, name string) {
	if dir.Remove(name) == nil {
		return
	}
	f, err := dir.OpenFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return // there is none
	}
	_ = f.Chmod(0o700)
	f.Close()
	if sub, err := dir.Enter(name); err == nil {
		entries, _ := sub.List()
		for _, e := range entries {
			remove(sub, e.Name())
		}
		sub.Close()
	}
	_ = dir.Remove(name)
}
