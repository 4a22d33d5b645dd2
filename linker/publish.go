package linker

import (
	"errors"
	"fmt"

	"confit/linker/files"
)

// ErrSuperseded says that the volumes have changed since the candidate was
// staged, so it was not published.
var ErrSuperseded = errors.New("the volumes have changed since the candidate was staged")

// Publish makes all targets resolve to a candidate, if the volumes still look as
// they did. A candidate that hooks were run on is checked before all else, see [Linker.Check]:
// an [*Invalid] names what they have changed.
//
//  1. Look at the targets anew: others may have changed them. One that can't be linked ends it here.
//  2. Write down the targets that will be made. Those that a list names and that don't exist are ignored.
//  3. Make all new links, under temporary names. What the system refuses ends it here, while nothing has changed.
//  4. Prune the targets of keys that are gone. What they covered is back.
//  5. Move the live link, by one rename(2). All other targets change over.
//  6. Give the new links their names.
//  7. Forget the targets that were pruned.
//
// After an error some of these steps are undone. [Linker.GoBack] takes back the others.
func (l *Linker) Publish(number int, hooked bool) error {
	err := l.CheckNewest(number)
	if err == nil && hooked {
		err = l.Check(number)
	}
	if err != nil {
		return err
	}
	_, err = l.targets.Switch(number, l.generations[number].Targets, true)
	return err
}

// CheckNewest looks at the volumes while a candidate waits to be published. It
// returns [ErrSuperseded] when they have changed since the candidate was staged.
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

// Opens receives a value when somebody has opened a changed key since
// [Linker.WatchOpens].
func (l *Linker) Opens() <-chan struct{} { return l.opens.Hints }

// WatchOpens watches those of the changed keys that have new bytes, in the
// generation that the targets lead to, and no longer those that it watched
// before. It reports whether it watches any: not if only direct keys have
// changed, or if inotify is refused.
func (l *Linker) WatchOpens(number int, changes []Change) bool {
	l.opens.Unwatch()
	var keys []string
	g := l.generations[number] // nil: nothing has changed
	for _, c := range changes {
		if f, there := g.Files[c.Key]; there && !f.Direct && !c.ModeOnly {
			keys = append(keys, string(c.Key))
		}
	}
	if len(keys) == 0 {
		return false
	}
	err := l.opens.Watch(g.Dir, keys)
	if err != nil {
		l.opens.Unwatch()
	}
	return err == nil
}

// UnwatchOpens stops watching them.
func (l *Linker) UnwatchOpens() { l.opens.Unwatch() }

// Touch puts a new link in the place of each target of a changed key, by
// rename(2): an app that watches the directory of its configuration sees CREATE
// and MOVED_TO of inotify(7) there. Before the first new link it begins to watch
// who opens a changed key. watched is the answer of [Linker.WatchOpens].
func (l *Linker) Touch(number int, changes []Change) (watched bool, err error) {
	watched = l.WatchOpens(number, changes)
	g := l.generations[number]
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

// GoBack puts a generation that was accepted in force again, with its modes and owners, and
// without what others have added; 0: what a former confit left. It reads no volume, which
// may hang, so bytes that somebody has changed are used as they are. Nothing is removed: an app
// that looks by itself would read at the removal, before anybody watches. done reports that the
// generation is in force; then the error names the targets that could not be put right, and the keys
// with other bytes. Else it is a [*Lost] if a key is missing, or one that becomes a variable is damaged:
// then nothing else is to be expected of this generation. After any other error GoBack can be called again.
func (l *Linker) GoBack(number int) (done bool, err error) {
	if number == 0 {
		return l.targets.Switch(l.former.Number, l.former.Targets, false)
	}
	g, err := l.generation(number)
	if err == nil {
		err = l.copies.Mend(g, nil)
	}
	damaged, isDamaged := errors.AsType[*Lost](err)
	if err != nil && (!isDamaged || damaged.Missing || l.makeVariables(g, damaged.Keys)) {
		return false, fmt.Errorf("cannot go back: %w", err)
	}
	done, failed := l.targets.Switch(number, g.Targets, false)
	if !done {
		return false, failed
	}
	return true, errors.Join(err, failed)
}
