package linker

import (
	"errors"
	"fmt"
	"path"

	"confit/linker/files"
	"confit/linker/target"
)

// ErrSuperseded says that the volumes have changed since the candidate was staged.
var ErrSuperseded = errors.New("the volumes have changed since the candidate was staged")

// Publish makes all targets resolve to a candidate, if the volumes still look as they did, by the
// steps of a publish in docs/internals/design.md. A candidate that hooks were run on is checked
// before: an [*Invalid] names what they have changed. After an error some of the steps are undone.
// [Linker.GoBack] takes back the others.
func (l *Linker) Publish(number int, hooked bool) error {
	err := l.names()
	if err == nil {
		err = l.CheckNewest(number)
	}
	switch {
	case err != nil:
	case hooked:
		err = l.Check(number)
	default:
		err = l.Has(number)
	}
	if err != nil {
		return err
	}
	_, err = l.show(number, l.generations[number].Targets, true)
	return err
}

// CheckNewest looks at the volumes while a candidate waits to be published. The error is
// [ErrSuperseded] if they have changed.
func (l *Linker) CheckNewest(number int) error {
	g, err := l.generation(number)
	if err == nil && g.Unmoved != nil {
		err = g.Unmoved()
	}
	if errors.Is(err, files.ErrMoved) {
		return ErrSuperseded
	}
	return err
}

// Opens receives a value when somebody has opened a changed key since [Linker.WatchOpens].
func (l *Linker) Opens() <-chan struct{} { return l.opens.Hints }

// WatchOpens watches those of the changed keys that have new bytes, in the generation that the
// targets lead to, and no others any more. It reports whether it watches any: direct keys it can't,
// and inotify may be refused.
func (l *Linker) WatchOpens(number int, changes []Change) bool {
	l.opens.Unwatch()
	changed := map[string]map[string]bool{}
	g := l.generations[number]
	if g == nil {
		return false
	}
	for _, c := range changes {
		if f, there := g.Files[c.Key]; there && !f.Direct && !c.ModeOnly {
			dir, name := path.Split(string(c.Key))
			if changed[dir] == nil {
				changed[dir] = map[string]bool{}
			}
			changed[dir][name] = true
		}
	}
	if len(changed) == 0 {
		return false
	}
	err := l.opens.Watch(g.Dir, changed)
	if err != nil {
		l.opens.Unwatch()
	}
	return err == nil
}

// UnwatchOpens stops watching them.
func (l *Linker) UnwatchOpens() { l.opens.Unwatch() }

// Touch puts a new link in the place of each target of a changed key, by rename(2): an app that
// watches the directory of its configuration sees CREATE and MOVED_TO of inotify(7) there. Before
// that it begins to watch who opens a changed key.
func (l *Linker) Touch(number int, changes []Change) (watched bool, err error) {
	watched = l.WatchOpens(number, changes)
	g := l.generations[number]
	if g == nil {
		return false, nil
	}
	for _, c := range changes {
		for _, i := range c.Links {
			target := l.links[i].TargetOf(c.Key)
			if w, wanted := g.Targets[target]; wanted && !c.ModeOnly {
				if err := l.targets.Touch(target, w.Dest); err != nil {
					return watched, err
				}
			}
		}
	}
	return watched, nil
}

// GoBack puts a generation that was accepted in force again, with its modes and owners, and without
// what others have added; 0: what a former confit left. It reads no volume, which may hang, so
// bytes that somebody has changed are used as they are. It removes no generation: an app that looks
// by itself would read at the removal, before anybody watches. done reports that it is in force;
// then the error names what could not be put right. Else it is a [*Damaged] if a key is missing:
// the next call won't do better. After any other error it may.
func (l *Linker) GoBack(number int) (done bool, err error) {
	if number == 0 {
		return l.show(l.former.Number, l.former.Targets, false)
	}
	g, err := l.generation(number)
	if err == nil {
		err = l.names()
	}
	if err == nil {
		err = l.copies.Restore(g)
	}
	if damaged, isDamaged := errors.AsType[*Damaged](err); err != nil && (!isDamaged || damaged.Missing) {
		return false, fmt.Errorf("cannot go back: %w", err)
	}
	done, failed := l.show(number, g.Targets, false)
	if !done {
		return false, failed
	}
	return true, errors.Join(err, failed)
}

// show is [target.Set.Switch]. It remembers where the live link leads to, and says once which
// copies are their user's alone.
func (l *Linker) show(number int, wanted map[Target]target.Want, strict bool) (done bool, err error) {
	p := l.targets.Switch(number, wanted, strict)
	if p.Moved {
		l.shown = number
		l.tellAlone(l.generations[number])
	}
	return p.Moved, p.Err()
}
