package target

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// Switch makes the targets resolve to a generation, by the steps 1 to 7 of a publish in
// docs/internals/design.md. number 0 is none: no live link. Strictly, the first of them that fails
// ends it. Else, as on the way back, a blocked target, or a list that can't be written, doesn't
// keep the rest from going back: the error lists what could not be done, one a line, which
// [Set.Mend] mends. moved reports that the live link leads to the generation, so an app can run.
func (t *Set) Switch(number int, wanted map[lines.Target]Want, strict bool) (moved bool, err error) {
	defer t.leave()
	p := t.Plan(wanted) // 1
	stop := func() bool { return strict && len(p.failed) > 0 }
	if stop() {
		return false, p.Err()
	}
	t.note(p)                            // 2
	p.each(t.prepare, p.prunes, p.Links) // 3
	defer t.unprepare(p.Links)
	ready, err := t.state.PrepareLive(number)
	defer t.state.DropPrepared(ready)
	if stop() {
		return false, p.Err()
	}
	if err != nil {
		return false, err
	}
	if p.each(t.carryOut, p.prunes); stop() { // 4
		return false, p.Err()
	}
	if err := t.state.SwapLive(number, ready); err != nil { // 5
		return false, err
	}
	if p.each(t.carryOut, p.Links); !stop() { // 6
		// 7, where a failure does no harm: the list may name too many, and the next look tries
		// again
		_ = t.list(p, p.prunes)
	}
	return true, p.Err()
}

// Make makes links, unless one can't be made, without a list of them.
func (t *Set) Make(wanted map[lines.Target]Want) error {
	defer t.leave()
	p := t.Plan(wanted)
	if err := p.Err(); err != nil {
		return err
	}
	p.each(t.prepare, p.Links)
	defer t.unprepare(p.Links)
	p.each(t.carryOut, p.Links)
	return p.Err()
}

// Mend makes all targets what they are to be, and prunes those that nobody wants any more. It calls
// said with each that was not, what was found there, and why that could not be mended.
func (t *Set) Mend(wanted map[lines.Target]Want, said func(target lines.Target, found string, err error)) {
	defer t.leave()
	p := t.Plan(wanted)
	t.note(p)
	p.each(t.prepare, p.prunes, p.Links)
	defer t.unprepare(p.Links)
	p.each(t.carryOut, p.prunes, p.Links)
	_ = t.list(p, p.prunes)
	for _, s := range slices.Concat(p.prunes, p.Links, p.refused) {
		if err := p.failed[s.Target]; err != nil || s.verb != none && s.verb != spare {
			said(s.Target, s.found, err)
		}
	}
}

// Touch renames a new link over ours. An exchange would tell a watcher in the end that the target
// has gone.
func (t *Set) Touch(target lines.Target, dest Dest) error {
	defer t.leave()
	in, err := t.enter(filepath.Dir(string(target)), false)
	if err == nil {
		a := act{&Step{Want: Want{Dest: dest}}, in, filepath.Base(string(target))}
		err = in.Unshut(func() error {
			return in.Replace(a.name,
				func(tmp string) error { return cmp.Or(in.Symlink(string(dest), tmp), a.check(a.name)) })
		})
	}
	if err != nil {
		return fmt.Errorf("cannot touch target %q: %w", target, err)
	}
	return nil
}

// Sweep removes what a killed confit left beside targets: links and empty directories under a
// temporary name, and links of ours under the name for what is kept. What confit did not make
// stays, whatever its name.
func (t *Set) Sweep(links []*lines.Line) {
	dirs := map[string]bool{}
	for target := range t.made {
		dirs[filepath.Dir(string(target))] = true
	}
	for _, s := range links { // what --bake made isn't on the list, nor what stood there before that was lost
		if s.Single() {
			dirs[filepath.Dir(string(s.Target))] = true
		} else if s.Use == lines.Linked {
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
			(e.Name() == files.Beside(name, files.KeptPrefix) ||
				e.Name() == files.Beside(name, files.ReplacedPrefix))) {
			return true
		}
	}
	return t.ours("", to)
}
