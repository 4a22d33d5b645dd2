package target

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// Switch makes the targets resolve to a generation, by the steps 1 to 7 of a publish in
// docs/internals/design.md. number 0 is none: no live link. Strictly, the first of them that fails
// ends it. Else, as on the way back and in a repair, a blocked target, or a list that can't be
// written, doesn't keep the rest from going back. The plan says what has become of it.
func (t *Set) Switch(number int, wanted map[lines.Target]Want, strict bool) *Plan {
	defer t.leave()
	p := t.Plan(wanted) // 1
	stop := func() bool { return p.Live != nil || strict && len(p.failed) > 0 }
	if stop() {
		return p
	}
	t.note(p)                            // 2
	p.each(t.prepare, p.prunes, p.Links) // 3
	defer t.unprepare(p.Links)
	ready, err := t.state.PrepareLive(number)
	defer t.state.DropPrepared(ready)
	p.Live = err
	if stop() {
		return p
	}
	p.each(t.carryOut, p.prunes) // 4
	if stop() {
		return p
	}
	p.Live = t.state.SwapLive(number, ready) // 5
	if stop() {
		return p
	}
	p.Moved = true
	p.each(t.carryOut, p.Links) // 6
	if !stop() {
		// 7, where a failure does no harm: the list may name too many, and the next look tries
		// again
		_ = t.list(p, p.prunes)
	}
	return p
}

// Tell calls said with each target that was not as wanted, what was found there, and why that could
// not be put right.
func (p *Plan) Tell(said func(target lines.Target, found string, err error)) {
	for _, s := range slices.Concat(p.prunes, p.Links, p.refused) {
		if err := p.failed[s.Target]; err != nil || s.verb != none && s.verb != skip {
			said(s.Target, s.what, err)
		}
	}
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

// Touch renames a new link over ours. An exchange would tell a watcher in the end that the target
// has gone.
func (t *Set) Touch(target lines.Target, dest Dest) error {
	defer t.leave()
	in, err := t.enter(target.Dir(), false)
	if err == nil {
		a := act{&Step{Want: Want{Dest: dest}}, in, target.Base()}
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
		dirs[target.Dir()] = true
	}
	for _, s := range links { // what --bake made isn't on the list, nor what stood there before that was lost
		if s.Single() {
			dirs[s.Target.Dir()] = true
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
		kept := files.Sibling(target.Base(), files.KeptPrefix)
		replaced := files.Sibling(target.Base(), files.ReplacedPrefix)
		isSibling := target.Dir() == path && (e.Name() == kept || e.Name() == replaced)
		if dest == to && (temporary || isSibling) {
			return true
		}
	}
	return t.ours("", to)
}
