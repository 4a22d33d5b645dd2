package supervisor

import (
	"errors"
	"math/rand/v2"
	"time"

	"confit/linker"
	"confit/process"
	"confit/signals"
)

// work carries out the linker's jobs one after the other, so that a slow disk doesn't delay a
// signal for the app. In the end it closes the linker, and then the channel.
func (l *loop) work(closed chan<- struct{}) {
	defer close(closed)
	for {
		j, number := l.worker.Next()
		if j == nil {
			break
		}
		var e event
		carryOut := func() error { e = j.carryOut(l); return nil }
		if err := signals.WithoutSignals(signals.PanicAsError(carryOut)); err != nil {
			e, number = crashed{err}, 0 // which counts, whoever waits
		}
		if _, isRecorded := e.(recorded); isRecorded && number == 0 { // which only counts where a phase waits for it
			continue
		}
		if e != nil {
			l.worker.Answer(number, e)
		}
	}
	_ = signals.WithoutSignals(signals.PanicAsError(func() error { l.Linker.Close(); return nil }))
}

// answer is one of the linker. A candidate that nobody waits for any more leads to nothing.
func (l *loop) answer() event {
	e, counts := l.worker.Take()
	s, isStaged := e.(staged)
	h, isHad := e.(had)
	switch {
	case isHad:
		return h.begin(l)
	case isStaged && !counts:
		l.worker.Put(orderOf(discard{s.candidate.Number}))
	case isStaged:
		l.heard = max(l.heard, s.candidate.Number)
	}
	if !counts || l.waitsForRight(e, time.Now()) {
		return nil
	}
	return e
}

func (a has) carryOut(l *loop) event { return had{l.Linker.Has(a.number)} }

func (a discard) carryOut(l *loop) event { l.Linker.Discard(a.number); return nil }

func (a repair) carryOut(l *loop) event {
	anew, err := l.Linker.Repair(a.number)
	if anew {
		l.status.Again()
	}
	return repaired{err, anew, a.awaited}
}

func (a stage) perform(l *loop) event {
	l.noteProgram()
	l.order(a)
	l.looks = true
	return l.lookWhetherReached()
}

func (a stage) carryOut(l *loop) event {
	if a.fallback {
		return l.staged(l.Linker.StageFallback(a.known))
	}
	c, err := l.Linker.Stage(a.known)
	l.status.NoteVolumes(l.Linker.Volumes())
	return l.staged(c, err)
}

// staged is the answer to stage and complete.
func (l *loop) staged(c linker.Candidate, err error) event {
	switch {
	case err == nil:
		return staged{c, strongest(l.Config, c.Changes), rand.N(l.Config.Splay + 1)}
	case errors.Is(err, linker.ErrUnchanged):
		return unchanged{}
	case linker.IsInvalid(err):
		return invalid{err, c.Changes, c.Fingerprint}
	}
	return failed{err}
}

func (a compare) carryOut(l *loop) event { return compared{a.number, l.Linker.CheckNewest(a.number)} }

func (a glance) carryOut(l *loop) event {
	c, err := l.Linker.Stage(linker.Known{Accepted: a.accepted, Unwritten: true})
	l.status.NoteVolumes(l.Linker.Volumes())
	if linker.IsInvalid(err) {
		err = nil
	}
	return glanced{a.inForce, c, err}
}

func (a publish) perform(l *loop) event {
	if err := process.Reach(a.app); a.app != 0 && err != nil {
		return barred{err}
	}
	l.order(a)
	return nil
}

func (a publish) carryOut(l *loop) event {
	var err error
	if a.shown {
		err = l.Linker.CheckShown(a.number)
	} else {
		err = l.Linker.Publish(a.number, a.hooked)
	}
	switch {
	case err == nil:
		return published{watched: l.Linker.WatchOpens(a.number, a.watch)}
	case errors.Is(err, linker.ErrSuperseded):
		return superseded{}
	case linker.IsInvalid(err):
		return invalid{reason: err}
	}
	return failed{err}
}

// The app goes on even if a target could not be put right.
func (a goBack) carryOut(l *loop) event {
	done, err := l.Linker.GoBack(a.to)
	_, isLost := errors.AsType[*linker.Damaged](err)
	switch {
	case done:
		return withdrawn{err, l.Linker.Changes(a.from, a.to)}
	case isLost:
		return lost{err}
	}
	return failed{err}
}

func (a writeNote) carryOut(l *loop) event { return noted{a.note, l.Linker.WriteNote(*a.note)} }

func (a touch) carryOut(l *loop) event {
	watched, err := l.Linker.Touch(a.number, a.changes)
	return touched{watched, err}
}

func (a complete) carryOut(l *loop) event { return l.staged(l.Linker.Complete(a.number, a.accepted)) }

func (a record) carryOut(l *loop) event {
	l.Linker.RecordTrial(a.trial)
	return recorded{}
}

// The links files are read again. What differs is read twice: between the two renames of a swap a
// file may be missing.
func (a lookAtLinks) carryOut(l *loop) event {
	sum, isRead := l.Config.LinksNow()
	if isRead && sum != l.Config.LinksRead {
		again, _ := l.Config.LinksNow()
		isRead = sum == again
	}
	if !isRead || sum == a.known {
		return nil
	}
	return linksRead{sum}
}

// Nobody waits for these.

func (a collect) carryOut(l *loop) event { l.Linker.Collect(a.newest, a.inUse...); return nil }

func (unwatchOpens) carryOut(l *loop) event { l.Linker.UnwatchOpens(); return nil }

func (a noteUser) carryOut(l *loop) event {
	l.Linker.WarnOfModes(a.user.ID, a.user.Groups)
	return nil
}
