package linker

import (
	"errors"
	"maps"
	"slices"
)

// putInForce makes a generation that was accepted, and its targets, what the app
// finds, as far as that can be done: a target that is in the way, or a list that
// can't be written, keeps nothing else from going back. What could not be done
// is a [*Partly]; any other error says that the live link itself has not moved.
//
//  1. Write down the targets that will be made. If that can't be, none is made
//     that isn't on the list already.
//  2. Prune what is not wanted; what it covered is back.
//  3. Move the live link.
//  4. Make and mend targets.
//  5. Forget what was pruned.
func (l *Linker) putInForce(number int, targets map[string]want) error {
	steps, refused := l.planTargets(targets)
	steps, unwritten := l.listed(steps)
	wrong := []error{refused, unwritten}
	failed := l.tryAll(steps, true)
	if err := l.state.point(number); err != nil {
		return err
	}
	maps.Copy(failed, l.tryAll(steps, false))
	for _, target := range sortedKeys(failed) {
		wrong = append(wrong, failed[target])
	}
	l.forgetAll(targets, failed)
	l.linked = targets
	if err := errors.Join(wrong...); err != nil {
		return &Partly{err}
	}
	return nil
}

// listed writes down the targets that the steps will make. Where it can't, it
// keeps those that need no writing.
func (l *Linker) listed(steps []step) ([]step, error) {
	err := l.noteSteps(steps)
	if err != nil {
		steps = slices.DeleteFunc(steps, func(s step) bool { return !s.prunes() && l.made[s.target] != s.dest })
	}
	return steps, err
}

// tryAll carries out all steps of a kind, and tells which have failed.
func (l *Linker) tryAll(steps []step, prunes bool) (failed map[string]error) {
	failed = map[string]error{}
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := l.carryOut(s); err != nil {
			failed[s.target] = err
		}
	}
	return failed
}

// carryOut does one step. What stands at a target that is to be pruned, and no
// longer is confit's link, is left alone: that is said.
func (l *Linker) carryOut(s step) error {
	err := s.do()
	var by *unplanned
	if s.prunes() && errors.As(err, &by) {
		l.log.Warn("target left alone", "target", s.target, "found", by.what)
		return nil
	}
	return err
}

// noteSteps adds the targets that will be made to the list.
func (l *Linker) noteSteps(steps []step) error {
	if len(steps) == 0 {
		return nil // the same targets: nothing is copied
	}
	made := maps.Clone(l.made)
	for _, s := range steps {
		if !s.prunes() {
			made[s.target] = s.dest
		}
	}
	return l.setMade(made)
}

// forgetAll takes what is no longer wanted off the list, but for what could not
// be pruned. It may stay there: a list that names too many does no harm, and the
// next look tries again.
func (l *Linker) forgetAll(wanted map[string]want, failed map[string]error) {
	var gone []string
	for target := range l.made {
		if _, keep := wanted[target]; !keep && failed[target] == nil {
			gone = append(gone, target)
		}
	}
	if len(gone) == 0 {
		return
	}
	made := maps.Clone(l.made)
	for _, target := range gone {
		delete(made, target)
	}
	_ = l.setMade(made)
}

func (l *Linker) setMade(made map[string]string) error {
	if maps.Equal(made, l.made) {
		return nil
	}
	if err := l.state.writeTargets(made); err != nil {
		return err
	}
	l.made = made
	return nil
}
