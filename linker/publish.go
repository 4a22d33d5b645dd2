package linker

import (
	"errors"
	"maps"
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
//  1. Write down the targets that will be made. Left behind: a list that names
//     too many, of which those that don't exist are ignored.
//  2. Prune the targets of keys that are gone; what they covered is back.
//  3. Move the live link, by one rename(2): all other targets change over.
//  4. Make and mend targets, each by rename(2).
//  5. Write down the targets that there are.
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
	if err := l.change(g.Number, g.steps); err != nil {
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

// change carries out the steps of Publish, in either direction.
func (l *Linker) change(number int, steps []step) error {
	if err := l.noteSteps(steps); err != nil {
		return err
	}
	if err := doSteps(steps, true); err != nil {
		return err
	}
	if err := l.state.point(number); err != nil {
		return err
	}
	if err := doSteps(steps, false); err != nil {
		return err
	}
	return l.forgetPruned(steps)
}

func doSteps(steps []step, prunes bool) error {
	for _, s := range steps {
		if s.prunes() != prunes {
			continue
		}
		if err := s.do(); err != nil {
			return err
		}
	}
	return nil
}

// noteSteps adds the targets that will be made to the list.
func (l *Linker) noteSteps(steps []step) error {
	if len(steps) == 0 {
		return nil // the same targets: publishing takes the same time for any number
	}
	made := maps.Clone(l.made)
	for _, s := range steps {
		if !s.prunes() {
			made[s.target] = s.dest
		}
	}
	return l.setMade(made)
}

// forgetPruned takes the targets that were pruned off the list.
func (l *Linker) forgetPruned(steps []step) error {
	if len(steps) == 0 {
		return nil
	}
	made := maps.Clone(l.made)
	for _, s := range steps {
		if s.prunes() {
			delete(made, s.target)
		}
	}
	return l.setMade(made)
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

// Tidy removes every generation that nobody can go back to, and gives the memory that
// staging took back to the system: a collector left alone would keep some MiB
// for ever. Only the first generation isn't worth it, as the first collection
// takes more than it brings. It takes as long as there are files, so it is
// called when the app has been told.
func (l *Linker) Tidy() {
	l.state.keepOnly(l.known())
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
// accepted, what was there before. With an error nothing is lost: it can be
// called again.
func (l *Linker) Reject() error {
	if b := l.before; b != nil {
		steps, err := l.planTargets(b.targets)
		if err != nil {
			return err
		}
		if err := l.change(b.number, steps); err != nil {
			return err
		}
		l.before = nil
	}
	l.Discard()
	return nil
}

func (l *Linker) liveNumber() int {
	if l.live == nil {
		return 0
	}
	return l.live.Number
}
