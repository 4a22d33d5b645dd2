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

// leftover reports whether a killed confit left this entry beside a target.
func (t *Set) leftover(d *dir, path string, e fs.DirEntry) bool {
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
	missed, unwanted := t.differences(wanted)
	failed := map[lines.Target]error{}
	for _, target := range files.SortedKeys(unwanted) {
		failed[target] = t.mendTarget(target, nil, map[lines.Target]Dest{target: unwanted[target]}, said)
	}
	for _, target := range files.SortedKeys(missed) {
		failed[target] = t.mendTarget(target, map[lines.Target]Want{target: missed[target]}, nil, said)
	}
	t.forgetAll(wanted, failed)
}

// mendTarget makes one target what it is to be, or prunes it.
func (t *Set) mendTarget(target lines.Target, wanted map[lines.Target]Want, made map[lines.Target]Dest, said func(lines.Target, string, error)) error {
	defer t.leave()
	found := t.find(target, wanted[target].Dest)
	steps, err := plan(wanted, made, func(lines.Target) place { return found })
	if err == nil {
		err = t.Note(steps)
	}
	for _, s := range steps {
		if err == nil {
			err = t.carryOut(s)
		}
	}
	if err != nil || (len(steps) > 0 && steps[0].verb != spare) {
		said(target, found.what, err)
	}
	return err
}
