package target

import (
	"io/fs"
	"path/filepath"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// Sweep removes what a killed confit left beside targets: links and empty
// directories under a temporary name, and links of ours under the name for what
// is kept. What confit did not make stays, whatever its name.
func (t *Set) Sweep(links []lines.Line) {
	dirs := map[string]bool{}
	for target := range t.made {
		dirs[filepath.Dir(string(target))] = true
	}
	for i := range links {
		switch s := &links[i]; {
		case s.Single():
			dirs[filepath.Dir(string(s.Target))] = true
		case s.Use == lines.Linked:
			dirs[string(s.Target)] = true
		}
	}
	for path := range dirs {
		d, err := t.open(path, false)
		if err != nil {
			continue
		}
		entries, _ := d.List()
		for _, e := range entries {
			if t.leftover(d, path, e) {
				_ = d.Remove(e.Name()) // removes a directory only if it is empty
			}
		}
		d.Close()
	}
}

func (t *Set) leftover(d *safedir.Dir, path string, e fs.DirEntry) bool {
	temporary := safedir.IsTemporary(e.Name())
	if e.IsDir() {
		return temporary
	}
	read, err := d.Readlink(e.Name())
	if err != nil || !files.IsOwnName("/"+e.Name()) {
		return false
	}
	to := Dest(read)
	for target, dest := range t.made {
		name := filepath.Base(string(target))
		if dest == to && (temporary || filepath.Dir(string(target)) == path &&
			(e.Name() == files.Beside(name, files.KeptPrefix) || e.Name() == files.Beside(name, files.ReplacedPrefix))) {
			return true
		}
	}
	return t.ours("", to)
}

// Mend makes all targets what they are to be, and prunes those that nobody wants any more.
// It calls said with each that was not, what was found there, and why that could not be
// mended.
func (t *Set) Mend(wanted map[lines.Target]Want, said func(target lines.Target, found string, err error)) {
	defer t.leave()
	failed := map[lines.Target]error{}
	for _, target := range t.unlike(wanted) {
		found := t.find(target, wanted[target].Dest)
		s, err := plan(target, wanted[target], found)
		if err == nil && s.verb != none {
			if err = t.Note([]Step{s}); err == nil {
				err = t.carryOut(s)
			}
		}
		if err != nil || s.verb != none && s.verb != spare {
			said(target, found.what, err)
		}
		failed[target] = err
	}
	if len(failed) > 0 {
		t.forgetAll(wanted, failed)
	}
}
