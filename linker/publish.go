package linker

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

// ErrSuperseded says that the volumes have changed since the candidate was
// staged, so it was not published.
var ErrSuperseded = errors.New("the volumes have changed since the candidate was staged")

// Publish makes all targets resolve to the staged generation, if the volumes
// still look as they did:
//
//  0. Record the trial, if it is one; see [trials].
//  1. Look at the targets anew: others may have changed them since the
//     candidate was staged. A target that can't be linked ends it here.
//  2. Write down the targets that will be made. Left behind: a list that may
//     name targets that don't exist, which are ignored.
//  3. Prune the targets of keys that are gone. What they covered is back.
//  4. Move the live link, by one rename(2). All other targets change over.
//  5. Make and mend targets. Each step checks, in the moment in which it acts,
//     that what it was planned for is still there.
//  6. Forget the targets that were pruned.
//
// After an error some of these steps are undone. [Linker.Reject] takes back the
// others.
func (l *Linker) Publish() error {
	g := l.staged
	if g == nil {
		return errors.New("cannot publish: nothing is staged")
	}
	if err := l.checkNewest(g); err != nil {
		return err
	}
	l.previous = l.inForce()
	if l.proven(g) {
		l.trials.end()
	} else {
		l.trials.begin(g.Hash)
	}
	if err := l.change(g); err != nil {
		l.seen = never // the system's fault: the next look tries again
		return err
	}
	return nil
}

// CheckNewest looks at the volumes while a candidate waits to be published. It
// returns [ErrSuperseded] when they have changed since the candidate was staged:
// then the next [Linker.Stage] stages what is there.
func (l *Linker) CheckNewest() error {
	if l.staged == nil {
		return nil
	}
	return l.checkNewest(l.staged)
}

func (l *Linker) checkNewest(g *generation) error {
	err := g.unmoved()
	if err != nil {
		l.seen = never
	}
	if errors.Is(err, errMoved) {
		return ErrSuperseded
	}
	return err
}

// inForce is what a candidate replaces: the accepted generation or, before the
// first, what a former confit left.
func (l *Linker) inForce() *previous {
	if l.accepted != nil {
		return &previous{number: l.accepted.Number, targets: l.accepted.targets}
	}
	b := &previous{number: l.state.liveNumber(), targets: map[Target]want{}}
	for target, dest := range l.targets.made {
		b.targets[target] = want{dest: dest}
	}
	return b
}

// change carries out the steps of Publish until one fails.
func (l *Linker) change(g *generation) error {
	steps, err := l.targets.plan(g.targets) // 1
	if err != nil {
		return err
	}
	if err := l.targets.noteSteps(steps); err != nil { // 2
		return err
	}
	if err := l.targets.doSteps(steps, true); err != nil { // 3
		return err
	}
	if err := l.state.point(g.Number); err != nil { // 4
		return err
	}
	if err := l.targets.doSteps(steps, false); err != nil { // 5
		return err
	}
	l.targets.forgetAll(g.targets, nil) // 6
	l.targets.linked = g.targets
	return nil
}

// Opens receives a value when somebody has opened a changed key since
// [Linker.WatchOpens].
func (l *Linker) Opens() <-chan struct{} { return l.opens.hints }

// WatchOpens watches those of the changed keys that have new bytes, in the
// generation that the targets lead to, and no longer those that it watched
// before. It reports whether it watches any: not if only direct keys have
// changed, or if inotify is refused.
func (l *Linker) WatchOpens(changes []Change) bool {
	l.opens.unwatch()
	g := l.inUse()
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

// inUse is the candidate once it was published, else the accepted generation;
// nil before the first.
func (l *Linker) inUse() *generation {
	if l.staged != nil {
		return l.staged
	}
	return l.accepted
}

// UnwatchOpens stops watching them.
func (l *Linker) UnwatchOpens() { l.opens.unwatch() }

// Reject drops the staged generation. If any of it was published, Reject puts
// the accepted generation and its targets in force again or, before anything
// was accepted, what was there before. A [*Partly] names the targets that it
// could not put right. After any other error nothing is lost, and Reject can be
// called again.
func (l *Linker) Reject() error {
	var err error
	if b := l.previous; b != nil {
		if l.accepted != nil {
			if err := l.copies.mend(l.accepted); err != nil {
				return fmt.Errorf("cannot go back: %w", err)
			}
		}
		err = l.targets.putInForce(b.number, b.targets)
		var partly *Partly
		if err != nil && !errors.As(err, &partly) {
			return err
		}
		l.previous = nil
	}
	l.AbandonTrial()
	l.Discard()
	return err
}

// AbandonTrial ends the trial of what was published without a verdict: a confit
// that is killed from now on was asked to stop. A candidate that was refused
// unpublished, because it had killed confit too often, keeps its record, so the
// next confit refuses it as well.
func (l *Linker) AbandonTrial() {
	if l.trials.running {
		l.trials.end()
	}
}

// Partly is the error of a [Linker.Reject] or [Linker.GoBack] that moved the
// live link, so an app can run, but could not put everything else right. A
// later look mends the rest.
type Partly struct{ err error }

// Error lists all that could not be put right, one a line.
func (e *Partly) Error() string { return e.err.Error() }

// Unwrap is what could not be put right, joined.
func (e *Partly) Unwrap() error { return e.err }

// putInForce puts an accepted generation and its targets in force as far as it
// can. A target in the way, or a list that can't be written, doesn't keep the
// rest from going back. It tells what it could not do as a [*Partly]. Any other
// error means that the live link has not moved.
//
//  1. Write down the targets that will be made. If that fails, make only those
//     that are on the list already.
//  2. Prune what is not wanted. What it covered is back.
//  3. Move the live link.
//  4. Make and mend targets.
//  5. Forget what was pruned.
func (t *targets) putInForce(number int, wanted map[Target]want) error {
	steps, refused := t.plan(wanted)
	steps, unwritten := t.noteOrSkip(steps) // 1
	wrong := []error{refused, unwritten}
	failed := t.tryAll(steps, true)               // 2
	if err := t.state.point(number); err != nil { // 3
		return err
	}
	maps.Copy(failed, t.tryAll(steps, false)) // 4
	for _, target := range sortedKeys(failed) {
		wrong = append(wrong, failed[target])
	}
	t.forgetAll(wanted, failed) // 5
	t.linked = wanted
	if err := errors.Join(wrong...); err != nil {
		return &Partly{err}
	}
	return nil
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

// tryAll carries out all steps of a kind, and returns those that failed.
func (t *targets) tryAll(steps []step, prunes bool) (failed map[Target]error) {
	failed = map[Target]error{}
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := t.carryOut(s); err != nil {
			failed[s.target] = err
		}
	}
	return failed
}
