package linker

import (
	"errors"
	"fmt"
)

// Accepted is the generation to go back to.
type Accepted struct {
	Generation            // Number 0: there is none
	Survived   bool       // an app that was started on it has lived through its probation
	Earlier    Generation // the newest one before it that has survived a start, to go back to when no app can start on this one; Number 0: none
}

// Next is what there is to go back to once g is accepted, too. Bytes that have
// survived a start before need not survive another.
func (a Accepted) Next(g Generation, survived bool) Accepted {
	if a.Survived && a.Hash == g.Hash || a.Earlier.Number != 0 && a.Earlier.Hash == g.Hash {
		survived = true
	}
	switch {
	case survived:
		return Accepted{Generation: g, Survived: true}
	case a.Survived:
		return Accepted{Generation: g, Earlier: a.Generation}
	}
	return Accepted{Generation: g, Earlier: a.Earlier}
}

// Accepted is the generation to go back to: the last one that was accepted, by
// this confit or, as long as none was, by a former one on the same state
// directory. The error says what of that which is stored is not trusted, and
// why; there may be an earlier generation that is.
func (l *Linker) Accepted() (Accepted, error) {
	var a Accepted
	if l.live != nil {
		a.Generation, a.Survived = l.live.Generation, l.live.survived
	}
	if l.earlier != nil {
		a.Earlier = l.earlier.Generation
	}
	return a, l.untrusted
}

// Accept makes the staged generation the one to go back to. survived says that
// an app was started on it, and lived. Until that is so for the accepted
// generation, the newest one for which it is stays beside it: an app that
// reloads a file need not be able to start on it.
//
// Without a staged generation it is the accepted one of which that is said.
func (l *Linker) Accept(survived bool) {
	g := l.staged
	if g == nil {
		g = l.live
	}
	before, _ := l.Accepted()
	next := before.Next(g.Generation, survived)
	switch {
	case next.Earlier.Number == 0:
		l.earlier = nil
	case next.Earlier == before.Generation:
		l.earlier = l.live
	}
	g.survived = next.Survived
	if l.staged != nil {
		l.endTrial()
	}
	l.live, l.staged, l.before, l.untrusted = g, nil, nil, nil
}

// GoBack drops the accepted generation, as no app can start on it: the earlier
// one is the accepted one, and in force again. With an error nothing is lost:
// it can be called again.
func (l *Linker) GoBack() error {
	switch {
	case l.earlier != nil:
		if err := l.mendGeneration(l.earlier); err != nil {
			return fmt.Errorf("cannot go back: %w", err)
		}
		l.live, l.earlier = l.earlier, nil
		l.before = &published{number: l.live.Number, targets: l.live.targets}
	case l.before == nil:
		return errors.New("cannot go back: there is no earlier generation")
	}
	return l.Reject()
}

// known lists the generations that may be needed again: the accepted and the
// earlier one, the candidate, and those that accepted.json names, which a
// confit that starts on this state directory looks for.
func (l *Linker) known() map[int]bool {
	numbers := map[int]bool{l.state.liveNumber(): true}
	for _, n := range l.noted {
		numbers[n] = true
	}
	for _, g := range []*generation{l.live, l.earlier, l.staged} {
		if g != nil {
			numbers[g.Number] = true
		}
	}
	return numbers
}
