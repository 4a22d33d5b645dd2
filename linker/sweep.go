package linker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sweepTargets removes what a killed confit left beside targets: links and
// empty directories under a temporary name, and links of ours under a name for
// what is kept. What confit did not make stays, whatever its name.
func (l *Linker) sweepTargets() {
	dirs := map[string]bool{}
	for target := range l.made {
		dirs[filepath.Dir(target)] = true
	}
	for i := range l.links {
		dir := l.links[i].Target
		if l.links[i].single() {
			dir = filepath.Dir(dir)
		}
		dirs[dir] = true
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			l.sweepEntry(dir, e)
		}
	}
}

func (l *Linker) sweepEntry(dir string, e os.DirEntry) {
	if l.leftover(dir, e) {
		_ = os.Remove(filepath.Join(dir, e.Name())) // a directory only if it is empty
	}
}

// leftover reports whether a name beside a target is what confit leaves there
// when it is killed.
func (l *Linker) leftover(dir string, e os.DirEntry) bool {
	temporary := strings.HasPrefix(e.Name(), tmpPrefix)
	if e.IsDir() {
		return temporary
	}
	if e.Type() != fs.ModeSymlink {
		return false
	}
	to, err := os.Readlink(filepath.Join(dir, e.Name()))
	if err != nil {
		return false
	}
	if temporary {
		return l.oursAnywhere(to)
	}
	for _, prefix := range []string{keptPrefix, replacedPrefix} {
		if name, found := strings.CutPrefix(e.Name(), prefix); found {
			return l.ours(filepath.Join(dir, name), to)
		}
	}
	return false
}

// oursAnywhere is ours for a link whose target isn't known.
func (l *Linker) oursAnywhere(to string) bool {
	if l.ours("", to) {
		return true
	}
	for _, dest := range l.made {
		if dest == to {
			return true
		}
	}
	return false
}
