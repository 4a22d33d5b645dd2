package supervisor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"confit/linker"
	"confit/process"
)

// work carries out the linker's actions one after the other, so that a slow disk
// doesn't delay a signal for the app. In the end it closes the linker.
func (l *loop) work() {
	defer close(l.closed)
	for a := range l.jobs {
		if e := l.guarded(a); e != nil {
			l.done <- e
		}
	}
	_ = guard(func() error { l.Linker.Close(); return nil })
}

// guarded makes an event of a panic, which is not the end of PID 1.
func (l *loop) guarded(a action) (e event) {
	err := guard(func() error { e = l.performFiles(a); return nil })
	if err != nil {
		return crashed{err}
	}
	return e
}

// guard turns a panic into an error.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// performFiles carries out an action of the linker, and returns its answer if it
// has one.
func (l *loop) performFiles(a action) event {
	switch a := a.(type) {
	case mend:
		return mended{l.Linker.Mend()}
	case stage:
		return l.stage(a)
	case arm:
		l.Linker.Arm(a.step)
		return armed{}
	case complete:
		return l.staged(l.Linker.Complete())
	case check:
		return l.check(a.watch)
	case compare:
		return l.compare()
	case peek:
		return l.peek()
	case publish:
		return l.publish(a.watch)
	case withdraw:
		return takenBack(nil, l.Linker.Reject())
	case goBack:
		e := takenBack(l.Linker.GoBack())
		if _, back := e.(withdrawn); back {
			l.noteKeys()
		}
		return e
	case accept:
		l.Linker.Accept(a.survived, a.at)
		process.CollectFor(l.noteKeys())
		return noted{}
	case store:
		return stored{a, l.Linker.Store()}
	case storeReport:
		return reportStored{a.report, l.Linker.StoreReport(a.report)}
	case touch:
		watched, err := l.Linker.Touch(a.changes)
		return touched{watched, err}
	case lookAtLinks:
		return l.lookAtLinks()
	default:
		l.performUnanswered(a)
	}
	return nil
}

// performUnanswered carries out an action of the linker that nobody waits for.
func (l *loop) performUnanswered(a action) {
	switch a := a.(type) {
	case tidy:
		l.Linker.Tidy()
	case discard:
		l.Linker.Discard()
	case forget:
		l.Linker.Forget()
	case noteStep:
		l.Linker.Arm(a.step)
	case abandonTrial:
		l.Linker.AbandonTrial()
	case noteUser:
		l.Linker.WarnOfModes(a.user.ID, a.user.Groups)
	case unwatchOpens:
		l.Linker.UnwatchOpens()
	}
}

func (l *loop) stage(a stage) event {
	if a.fallback {
		return l.staged(l.Linker.StageFallback())
	}
	if a.again {
		l.Linker.Forget()
	}
	c, err := l.Linker.Stage()
	l.noteVolumes()
	return l.staged(c, err)
}

// staged is the answer to stage and complete.
func (l *loop) staged(c linker.Candidate, err error) event {
	var bad *linker.Invalid
	switch {
	case err == nil:
		return staged{c, strongest(l.Config, c.Changes), draw(l.Config.Splay)}
	case errors.Is(err, linker.ErrUnchanged):
		return unchanged{}
	case errors.As(err, &bad):
		return invalid{err, c.Changes}
	}
	return failed{err}
}

// draw is a random time below the maximum.
func draw(maximum time.Duration) time.Duration {
	if maximum <= 0 {
		return 0
	}
	return rand.N(maximum)
}

func (l *loop) check(watch []linker.Change) event {
	err := l.Linker.Check()
	var bad *linker.Invalid
	switch {
	case err == nil:
		return checked{watch != nil && l.Linker.WatchOpens(watch)}
	case errors.As(err, &bad):
		return invalid{reason: err}
	}
	return failed{err}
}

func (l *loop) compare() event {
	err := l.Linker.CheckNewest()
	if errors.Is(err, linker.ErrSuperseded) {
		return compared{moved: true}
	}
	return compared{err: err}
}

func (l *loop) peek() event {
	c, err := l.Linker.Peek()
	var bad *linker.Invalid
	switch {
	case err == nil:
		return peeked{true, c.Hash.Hex(), c.Changes}
	case errors.As(err, &bad):
		return peeked{true, "", c.Changes}
	}
	return peeked{}
}

func (l *loop) publish(watch []linker.Change) event {
	switch err := l.Linker.Publish(); {
	case err == nil:
		return published{watched: l.Linker.WatchOpens(watch)}
	case errors.Is(err, linker.ErrSuperseded):
		return superseded{}
	default:
		return failed{err}
	}
}

// takenBack is the answer to withdraw and goBack. The app goes on even if a target
// could not be put right.
func takenBack(changes []linker.Change, err error) event {
	var partly *linker.Partly
	switch {
	case err == nil:
		return withdrawn{changes: changes}
	case errors.As(err, &partly):
		return withdrawn{partly, changes}
	}
	return failed{err}
}
