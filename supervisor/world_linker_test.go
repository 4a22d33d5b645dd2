package supervisor

import (
	"errors"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/slots"
)

// The linker of the walks is the model. Here is its fate, which the dice decide, and what the world holds of each job
// and of its answer.

// order keeps a job until the event is over. Of those that a phase waits for there is one at a time.
func (w *world) order(j job) {
	if other := left(w.disk.jobs, slots.Transaction); other != nil && orderOf(j).Kind == slots.Transaction {
		w.fatalf("two jobs for the linker at once: %T and %T", other, j)
	}
	w.given = append(w.given, j)
}

// carryOut does jobs up to the first one that is answered, and returns the answer.
func (w *world) carryOut() event {
	for w.disk.pending() != nil {
		j := w.disk.pending()
		w.holdsBefore(j)
		if e := w.disk.carryOut(w); e != nil {
			w.holdsAfter(j, e)
			return e
		}
	}
	return nil
}

// holdsBefore checks what the linker is to do.
func (w *world) holdsBefore(j job) {
	switch j := j.(type) {
	case stage:
		w.staged, w.passed = nil, false
		switch {
		case j.fallback:
			w.fallsBack()
		case j.known.Fingerprint == "":
			delete(w.judged, w.mounted)
		}
	case publish:
		if w.staged == nil {
			w.fatalf("publishes without a candidate")
		}
	case touch:
		if w.inForce() == nil {
			w.fatalf("touches nothing")
		}
		if w.app != 0 && w.rand.IntN(3) > 0 { // most apps look at it
			w.read()
		}
	case writeNote:
		w.mayBeNoted(j.note)
	}
}

// holdsAfter notes what the linker has done.
func (w *world) holdsAfter(j job, e event) {
	switch e := e.(type) {
	case staged:
		c := w.contents[w.disk.staged.holds]
		c.fallback = w.disk.staged.fallback
		w.staged = &c
		if !c.fallback && looksAtMounted(j) {
			w.seen = w.mounted
		}
		if !e.candidate.Unrendered {
			w.wasKilled(c)
		}
	case invalid:
		if looksAtMounted(j) {
			w.seen = w.mounted
		}
	case superseded:
		w.fellBack = w.fellBack && !w.staged.fallback
	case failed:
		if _, ok := j.(publish); ok {
			w.visible = w.staged
			delete(w.judged, *w.staged) // to be tried again
		}
	case published:
		w.visible, w.published = w.staged, w.disk.staged.number
	case withdrawn:
		w.goesBack(j.(goBack))
	case noted:
		if e.err == nil {
			w.file = e.note.Outcomes
		}
	}
}

// looksAtMounted reports a look at what is mounted, and not at the fallback.
func looksAtMounted(j job) bool {
	s, ok := j.(stage)
	return ok && !s.fallback
}

func (w *world) settings() *config.Config { return w.config }

func (w *world) find(l letter) found {
	c := w.contents[l]
	f := found{like: letter(c.twin), writing: linker.Writing(w.rand.IntN(3))}
	if c.invalid {
		f.wrong = errors.New("key missing")
	}
	return f
}

func (w *world) changes(from, to letter) []linker.Change {
	before := map[linker.Key]linker.Hash{}
	if from != missing {
		before = content{number: int(from)}.files()
	}
	return changesBetween(before, w.contents[to].files())
}

func (w *world) demands(letter, []linker.Change) (config.Action, time.Duration) {
	action := []config.Action{{Kind: config.None}, {Kind: config.Touch}, {Kind: config.Signal, Auto: true, Signal: 1},
		{Kind: config.Signal, Signal: 10}, {Kind: config.Exec, Command: []string{"reload"}}, {Kind: config.Restart}}[w.rand.IntN(6)]
	return action, time.Duration(w.rand.Int64N(int64(w.config.Splay) + 1))
}

func (w *world) panics(job) error {
	if w.breaksDown {
		return errors.New("index out of range")
	}
	return nil
}

func (w *world) refuses(j job) error {
	oneIn := 4
	if _, ok := j.(goBack); ok {
		oneIn = 3
	}
	if w.frail && w.rand.IntN(oneIn) == 0 {
		return errRefused
	}
	return nil
}

func (w *world) spoils(j job) error {
	switch j.(type) {
	case publish:
		if w.frail && w.rand.IntN(20) == 0 {
			return errors.New("the hook changed key a")
		}
	case complete:
		if w.staged.unrenderable {
			return errors.New("the renderer made a FIFO")
		}
	}
	return nil
}

func (w *world) empties() bool { return w.rand.IntN(20) == 0 }

func (w *world) loses(job) error { return nil }

func (w *world) happens() bool { return true }

func (w *world) watches() bool { return w.rand.IntN(2) == 0 }

func (w *world) isLate() bool { return w.late }

func (w *world) hasBegun(job) bool { return w.late && w.rand.IntN(2) == 0 }

func (w *world) breaks(invariant string) { w.fatalf("%s", invariant) }

// mayBePublished holds what must be true of a candidate that is the newest.
func (w *world) mayBePublished() {
	number := w.disk.staged.number
	isNew := w.live == nil || w.live.number != w.staged.number
	switch {
	case number < w.published:
		w.fatalf("publishes generation %d after %d", number, w.published)
	case len(w.config.Render) > 0 && !w.disk.rendered && isNew:
		w.fatalf("publishes %+v, which was not rendered", *w.staged)
	case w.state.validatesBeforeIn(w.config) && !w.judged[*w.staged] && isNew:
		w.fatalf("publishes %+v, which was not validated", *w.staged)
	}
	w.mustHavePassed()
	w.mayStartOn()
}

func (s state) validatesBeforeIn(c *config.Config) bool {
	t := transition{state: s, config: c}
	return t.validatesBefore()
}
