package target

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"confit/linker/files"
	"confit/linker/lines"
)

// Switch makes the targets resolve to a generation, by the steps 1 to 7 of a publish in
// docs/internals/design.md. number 0 is none: no live link. Strictly, the first of them that
// fails ends it. Else, as on the way back, a blocked target, or a list that can't be
// written, doesn't keep the rest from going back: the error lists what could not be done, one a line.
// [Set.Mend] mends that. moved reports that the live link leads to the generation, so an app can run.
func (t *Set) Switch(number int, wanted map[lines.Target]Want, strict bool) (moved bool, err error) {
	steps, refused := t.Plan(wanted) // 1
	if strict && refused != nil {
		return false, refused
	}
	unwritten := t.Note(steps) // 2
	if strict && unwritten != nil {
		return false, unwritten
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
		return false, err
	}
	stop := func() bool { return strict && len(failed) > 0 }
	if stop() {
		return false, files.Joined(failed)
	}
	if t.doAll(steps, true, failed); stop() { // 4
		return false, files.Joined(failed)
	}
	if err := t.state.SwapLive(number, ready); err != nil { // 5
		return false, err
	}
	if t.doAll(steps, false, failed); !stop() { // 6
		t.forgetAll(wanted, failed) // 7
	}
	return true, errors.Join(refused, unwritten, files.Joined(failed))
}

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
