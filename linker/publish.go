package linker

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"confit/linker/files"
)

// ErrSuperseded says that the volumes have changed since the candidate was
// staged, so it was not published.
var ErrSuperseded = errors.New("the volumes have changed since the candidate was staged")

// Publish makes all targets resolve to a candidate, if the volumes still look as
// they did:
//
//  1. Look at the targets anew: others may have changed them since the
//     candidate was staged. A target that can't be linked ends it here.
//  2. Write down the targets that will be made. Left behind: a list that may
//     name targets that don't exist, which are ignored.
//  3. Make all new links, under temporary names. What the system refuses ends it
//     here, while nothing has changed.
//  4. Prune the targets of keys that are gone. What they covered is back.
//  5. Move the live link, by one rename(2). All other targets change over.
//  6. Give the new links their names. Each step checks, in the moment in which it
//     acts, that what it was planned for is still there.
//  7. Forget the targets that were pruned.
//
// After an error some of these steps are undone. [Linker.GoBack] takes back the
// others.
func (l *Linker) Publish(number int) error {
	if err := l.CheckNewest(number); err != nil {
		return err
	}
	g := l.generations[number]
	return l.targets.switchTo(g.Number, g.targets, true)
}

// CheckNewest looks at the volumes while a candidate waits to be published. It
// returns [ErrSuperseded] when they have changed since the candidate was staged.
func (l *Linker) CheckNewest(number int) error {
	g, err := l.generation(number)
	if err == nil && g.unmoved != nil {
		err = g.unmoved()
	}
	if errors.Is(err, files.ErrMoved) {
		return ErrSuperseded
	}
	return err
}

// Opens receives a value when somebody has opened a changed key since
// [Linker.WatchOpens].
func (l *Linker) Opens() <-chan struct{} { return l.opens.hints }

// WatchOpens watches those of the changed keys that have new bytes, in the
// generation that the targets lead to, and no longer those that it watched
// before. It reports whether it watches any: not if only direct keys have
// changed, or if inotify is refused.
func (l *Linker) WatchOpens(number int, changes []Change) bool {
	l.opens.unwatch()
	g := l.generations[number]
	if g == nil {
		return false
	}
	changed := map[string]map[string]bool{}
	for _, c := range changes {
		f, there := g.files[c.Key]
		if !there || f.direct || c.ModeOnly {
			continue
		}
		dir := path.Dir(string(c.Key))
		if changed[dir] == nil {
			changed[dir] = map[string]bool{}
		}
		changed[dir][path.Base(string(c.Key))] = true
	}
	return len(changed) > 0 && l.opens.watch(g.Dir, changed) == nil
}

// UnwatchOpens stops watching them.
func (l *Linker) UnwatchOpens() { l.opens.unwatch() }

// GoBack puts a generation that was accepted in force again, after it has mended
// what others did to the files; 0: what a former confit left. It reads no volume, which
// may hang. Nothing is removed: an app that looks by itself would read at the removal,
// before anybody watches. A [*Partly] names the targets that could not be put right, and
// the keys with other bytes that nothing has a copy of: they are used as they are, unless one
// is a variable.
// After any other error nothing is lost, and GoBack can be called again.
func (l *Linker) GoBack(number int) error {
	if number == 0 {
		return l.targets.switchTo(l.former.Number, l.former.targets, false)
	}
	g, err := l.generation(number)
	var damaged *lost
	if err == nil {
		err = l.copies.mend(g, nil)
	}
	if errors.As(err, &damaged) && !damaged.missing && !l.makeVariables(g, damaged.keys) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("cannot go back: %w", err)
	}
	err = l.targets.switchTo(number, g.targets, false)
	var partly *Partly
	switch {
	case damaged == nil || err != nil && !errors.As(err, &partly):
		return err
	case partly == nil:
		return &Partly{damaged}
	}
	return &Partly{errors.Join(damaged, partly.err)}
}

// Partly is the error of a [Linker.GoBack] that moved the live link, so an app can
// run, but could not put everything else right. A later look mends the rest.
type Partly struct{ err error }

// Error lists all that could not be put right, one a line.
func (e *Partly) Error() string { return e.err.Error() }

// Unwrap is what could not be put right, joined.
func (e *Partly) Unwrap() error { return e.err }

// switchTo makes the targets resolve to a generation: steps 1 to 7 of Publish.
// Strictly, the first of them that fails ends it. Else, as on the way back, a target in
// the way, or a list that can't be written, doesn't keep the rest from going back:
// what could not be done is a [*Partly]. Any other error means that the live link
// has not moved.
func (t *targets) switchTo(number int, wanted map[Target]want, strict bool) error {
	steps, refused := t.plan(wanted) // 1
	if strict && refused != nil {
		return refused
	}
	steps, unwritten := t.noteOrSkip(steps) // 2
	if strict && unwritten != nil {
		return unwritten
	}
	steps, failed := t.prepareAll(steps) // 3
	defer t.unprepare(steps)
	ready, err := t.state.Aim(number)
	defer t.state.Unaim(ready)
	if err != nil {
		return err
	}
	stop := func() bool { return strict && len(failed) > 0 }
	if stop() {
		return joined(failed)
	}
	if t.doAll(steps, true, failed); stop() { // 4
		return joined(failed)
	}
	if err := t.state.Point(number, ready); err != nil { // 5
		return err
	}
	if t.doAll(steps, false, failed); stop() { // 6
		return joined(failed)
	}
	t.forgetAll(wanted, failed) // 7
	if err := errors.Join(refused, unwritten, joined(failed)); err != nil {
		return &Partly{err}
	}
	return nil
}

// joined is one error of those of many targets.
func joined(failed map[Target]error) error {
	var all []error
	for _, target := range files.SortedKeys(failed) {
		all = append(all, failed[target])
	}
	return errors.Join(all...)
}

// noteOrSkip writes down the targets that the steps will make. If it can't, it
// leaves only the steps that need no writing.
func (t *targets) noteOrSkip(steps []step) ([]step, error) {
	err := t.noteSteps(steps)
	if err != nil {
		steps = slices.DeleteFunc(steps, func(s step) bool { return !s.prunes() && t.made[s.target] != s.dest })
	}
	return steps, err
}
