package target

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"confit/linker/files"
	"confit/linker/lines"
)

// Switch makes the targets resolve to a generation, by the steps 1 to 7 that Publish of
// package linker tells. number 0 is none: no live link. Strictly, the first of them that
// fails ends it. Else, as on the way back, a blocked target, or a list that can't be
// written, doesn't keep the rest from going back: what could not be done is a [*Partly]. Any
// other error means that the live link has not moved.
func (t *Set) Switch(number int, wanted map[lines.Target]Want, strict bool) error {
	steps, refused := t.Plan(wanted) // 1
	if strict && refused != nil {
		return refused
	}
	unwritten := t.Note(steps) // 2
	if strict && unwritten != nil {
		return unwritten
	}
	if unwritten != nil { // no link is made that isn't on the list
		steps = slices.DeleteFunc(steps, func(s Step) bool { return !s.prunes() && t.made[s.Target] != s.dest })
	}
	failed := map[lines.Target]error{}
	t.forAll(steps, failed, t.prepare) // 3
	defer t.unprepare(steps)
	ready, err := t.state.PrepareLive(number)
	defer t.state.DropPrepared(ready)
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
	if err := t.state.SwapLive(number, ready); err != nil { // 5
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

func joined(failed map[lines.Target]error) error {
	var all []error
	for _, target := range files.SortedKeys(failed) {
		all = append(all, failed[target])
	}
	return errors.Join(all...)
}

// Partly is the error of a way back that moved the live link, so an app can run, but
// could not put everything else right. [Set.Mend] mends the rest.
type Partly struct{ Err error }

// Error lists all that could not be put right, one a line.
func (e *Partly) Error() string { return e.Err.Error() }

// Unwrap is what could not be put right, joined.
func (e *Partly) Unwrap() error { return e.Err }

// Touch renames a new link over ours. An exchange, as a link that leads
// elsewhere gets it, would tell a watcher in the end that the target has gone.
func (t *Set) Touch(target lines.Target, dest Dest) error {
	defer t.leave()
	in, err := t.enter(filepath.Dir(string(target)), false)
	if err == nil {
		a := act{Step{dest: dest}, in, filepath.Base(string(target))}
		err = in.Unshut(func() error { return a.putOver(a.checkOurs) })
	}
	if err != nil {
		return fmt.Errorf("cannot touch target %q: %w", target, files.Cause(err))
	}
	return nil
}
