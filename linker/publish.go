package linker

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

// ErrSuperseded says that the volumes moved on since the candidate was staged,
// so it was not published.
var ErrSuperseded = errors.New("a newer state of the volumes is there")

// published is what was in force before a candidate was published.
type published struct {
	number  int             // what the live link pointed at
	targets map[string]want // what was wanted of the targets
}

// Publish makes the staged generation the one that all targets resolve to, if
// it is still the newest:
//
//  0. Record the trial, if it is one; see beginTrial.
//  1. Look at the targets anew: others may have changed them since the
//     candidate was staged. One that can't be linked ends it here.
//  2. Write down the targets that will be made. Left behind: a list that names
//     too many, of which those that don't exist are ignored.
//  3. Prune the targets of keys that are gone; what they covered is back.
//  4. Move the live link, by one rename(2): all other targets change over.
//  5. Make and mend targets. Each step checks in the moment in which it acts
//     that there is what it was planned for.
//  6. Forget the targets that were pruned.
//
// An error leaves some of these steps undone; [Linker.Reject] takes back those
// that were done.
func (l *Linker) Publish() error {
	g := l.staged
	if g == nil {
		return errors.New("cannot publish: nothing is staged")
	}
	if err := l.moved(g.print); err != nil {
		l.seen = never
		return ignoringMoved(err)
	}
	l.before = l.inForce()
	l.beginTrial(g)
	if err := l.change(g); err != nil {
		l.seen = never // the system's fault: the next look tries again
		return err
	}
	return nil
}

// inForce is what a candidate replaces: the accepted generation or, before the
// first, what a former confit left.
func (l *Linker) inForce() *published {
	if l.live != nil {
		return &published{number: l.live.Number, targets: l.live.targets}
	}
	b := &published{number: l.state.liveNumber(), targets: map[string]want{}}
	for target, dest := range l.made {
		b.targets[target] = want{dest: dest}
	}
	return b
}

func ignoringMoved(err error) error {
	if errors.Is(err, errMoved) {
		return ErrSuperseded
	}
	return err
}

// change carries out the steps of Publish, up to the first that fails.
func (l *Linker) change(g *generation) error {
	steps, err := l.planTargets(g.targets) // 1
	if err != nil {
		return err
	}
	if err := l.noteSteps(steps); err != nil { // 2
		return err
	}
	if err := l.doSteps(steps, true); err != nil { // 3
		return err
	}
	if err := l.state.point(g.Number); err != nil { // 4
		return err
	}
	if err := l.doSteps(steps, false); err != nil { // 5
		return err
	}
	l.forgetAll(g.targets, nil) // 6
	l.linked = g.targets
	return nil
}

func (l *Linker) doSteps(steps []step, prunes bool) error {
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := l.carryOut(s); err != nil {
			return err
		}
	}
	return nil
}

// Tidy removes every generation that nobody can go back to, and gives the memory that
// staging took back to the system: a collector left alone would keep some MiB
// for ever. Only the first generation isn't worth it, as the first collection
// takes more than it brings. It takes as long as there are files, so it is
// called when the app has been told.
func (l *Linker) Tidy() {
	for _, dir := range []*os.Root{l.state.generations, l.state.packs} {
		_, _ = keepOnly(dir, l.known())
	}
	if l.live != nil && l.live.Number > 1 {
		debug.FreeOSMemory()
	}
}

// Discard drops a staged generation that was not published.
func (l *Linker) Discard() {
	if g := l.staged; g != nil {
		l.staged = nil
		if !l.known()[g.Number] {
			l.state.drop(g.Number)
		}
	}
}

// Reject drops the staged generation. If it was published, wholly or in part,
// the accepted one and its targets are in force again; before anything was
// accepted, what was there before. A [*Partly] says that this is so but for some
// targets. With any other error nothing is lost: it can be called again.
func (l *Linker) Reject() error {
	var err error
	if b := l.before; b != nil {
		if l.live != nil {
			if err := l.mendGeneration(l.live); err != nil {
				return fmt.Errorf("cannot go back: %w", err)
			}
		}
		err = l.putInForce(b.number, b.targets)
		var partly *Partly
		if err != nil && !errors.As(err, &partly) {
			return err
		}
		l.before = nil
	}
	l.AbandonTrial()
	l.Discard()
	return err
}

func (l *Linker) liveNumber() int {
	if l.live == nil {
		return 0
	}
	return l.live.Number
}
