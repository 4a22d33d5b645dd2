package supervisor

import (
	"errors"
	"fmt"
	"time"

	"confit/config"
	"confit/linker"
)

func (w *world) begin(job func() event) {
	if w.job != nil {
		w.fatalf("two jobs for the linker at once")
	}
	w.job = job
}

// print is what a look at the volumes sees.
func (c content) print() linker.Print { return linker.Print(fmt.Sprint(c)) }

func (w *world) stage(k linker.Known) event {
	w.staged, w.rendered, w.passed = nil, false, false
	switch {
	case w.frail && w.rand.IntN(4) == 0:
		return failed{errors.New("disk full")}
	case k.Seen == w.mounted.print():
		return unchanged{}
	}
	w.seen = w.mounted
	if w.mounted.invalid {
		return invalid{errors.New("key missing"), w.changes(w.mounted), w.mounted.print()}
	}
	return w.candidate(w.mounted)
}

func (w *world) candidate(c content) event {
	w.staged = &c
	w.stagedNumber = w.numbers + 1
	unrendered := len(w.config.Render) > 0 && (w.live == nil || w.live.number != c.number || !w.confirmed[c.number])
	if !unrendered && w.live != nil && w.live.number == c.number {
		w.stagedNumber = w.liveNumber
	} else {
		w.numbers++
	}
	action := []config.Action{{Kind: config.None}, {Kind: config.Touch}, {Kind: config.Signal, Auto: true, Signal: 1},
		{Kind: config.Signal, Signal: 10}, {Kind: config.Exec, Command: []string{"reload"}}, {Kind: config.Restart}}[w.rand.IntN(6)]
	w.action = action.Kind
	candidate := linker.Candidate{Generation: c.generation(w.stagedNumber), Changes: w.changes(c), Writing: linker.Writing(w.rand.IntN(3)), Seen: c.print()}
	switch {
	case unrendered:
		candidate.Unrendered, candidate.Hash = true, c.inputs()
	default:
		w.wasKilled(c)
	}
	return staged{candidate, action, time.Duration(w.rand.Int64N(int64(w.config.Splay) + 1))}
}

// complete takes up what was rendered.
func (w *world) complete() event {
	switch {
	case !w.rendered || w.staged == nil:
		w.fatalf("completes what was not rendered")
	case w.frail && w.rand.IntN(4) == 0:
		return failed{errors.New("disk full")}
	case w.staged.unrenderable:
		return invalid{reason: errors.New("the renderer made a FIFO")}
	}
	c := *w.staged
	if w.live != nil && w.live.number == c.number {
		w.stagedNumber, w.confirmed[c.number] = w.liveNumber, true
	}
	candidate := linker.Candidate{Generation: c.generation(w.stagedNumber), Changes: w.changes(c)}
	candidate.Fallback = false // only a look can tell
	w.wasKilled(c)
	return staged{candidate, config.Action{Kind: w.action, Signal: 10, Command: []string{"reload"}}, 0}
}

func (w *world) publish() event {
	switch {
	case w.staged == nil:
		w.fatalf("publishes without a candidate")
	case w.hasMoved():
		w.fellBack = w.fellBack && !w.staged.fallback
		return superseded{}
	case w.frail && w.rand.IntN(4) == 0:
		w.visible = w.staged
		delete(w.judged, *w.staged) // to be tried again
		return failed{errors.New("disk full")}
	case w.stagedNumber < w.published:
		w.fatalf("publishes generation %d after %d", w.stagedNumber, w.published)
	case len(w.config.Render) > 0 && !w.rendered && (w.live == nil || w.live.number != w.staged.number):
		w.fatalf("publishes %+v, which was not rendered", *w.staged)
	case w.state.validatesBeforeIn(w.config) && !w.judged[*w.staged] && (w.live == nil || w.live.number != w.staged.number):
		w.fatalf("publishes %+v, which was not validated", *w.staged)
	}
	w.mustHavePassed()
	w.mayBePublished()
	w.visible, w.published = w.staged, w.stagedNumber
	return published{watched: w.rand.IntN(2) == 0}
}

// hasMoved reports that the candidate isn't the newest.
func (w *world) hasMoved() bool {
	if w.staged.fallback {
		return *w.staged != *w.fallback
	}
	return *w.staged != w.mounted
}

func (s state) validatesBeforeIn(c *config.Config) bool {
	t := transition{state: s, config: c}
	return t.validatesBefore()
}

func (w *world) withdraw() event {
	if w.frail && w.rand.IntN(3) == 0 {
		return failed{errors.New("disk full")}
	}
	if w.state.exposure.reached() {
		w.rollBack()
	}
	w.visible, w.staged = nil, nil
	if w.liveNumber > 0 {
		w.published = w.liveNumber
	}
	return withdrawn{}
}

func (w *world) rollBack() {
	switch {
	case w.live == nil && w.fallback == nil:
		w.fatalf("rolls back to nothing")
	case w.live == nil && w.visible.fallback:
		return
	case w.live == nil:
	case w.rolledBack != nil && *w.rolledBack == *w.visible:
		w.fatalf("rolls %+v back twice in a row", *w.visible)
	}
	w.rolledBack = w.visible
}

// touch shows the app that something has changed. Most look at it.
func (w *world) touch() event {
	if w.inForce() == nil {
		w.fatalf("touches nothing")
	}
	if w.app != 0 && w.rand.IntN(3) > 0 {
		w.read()
	}
	if w.frail && w.rand.IntN(4) == 0 {
		return touched{w.rand.IntN(2) == 0, errors.New("read-only")}
	}
	return touched{watched: w.rand.IntN(4) > 0}
}

func (w *world) checkHook() event {
	if w.frail && w.rand.IntN(10) == 0 {
		return []event{invalid{reason: errors.New("the hook changed key a")}, failed{errors.New("no memory")}}[w.rand.IntN(2)]
	}
	return checked{w.rand.IntN(2) == 0}
}

// goBack drops what was accepted, as no app can be started on it.
func (w *world) goBack() event {
	if w.frail && w.rand.IntN(3) == 0 {
		return failed{errors.New("disk full")}
	}
	if w.earlier == nil || w.survived {
		w.fatalf("goes back from what is accepted")
	}
	if w.state.rejection.hash == w.live.hash() { // else it was mounted again meanwhile, and is tried once more
		back := *w.live
		back.fallback = false
		w.rolledBack = &back
	}
	changes := w.changes(*w.earlier)
	w.live, w.liveNumber, w.liveAt, w.survived, w.earlier = w.earlier, w.earlierNumber, w.earlierAt, true, nil
	w.visible, w.staged, w.published = nil, nil, w.liveNumber
	return withdrawn{changes: changes}
}

// noteAccepted notes what confit has accepted in a step.
func (w *world) noteAccepted(before state) {
	s := w.state
	same := s.accepted.Number == before.accepted.Number
	switch {
	case s.degraded != "" || s.phase == done || same && (s.app.phase == stopping || s.isEnding()):
	case w.visible != nil && !s.exposure.published() && s.accepted.Number == w.published && w.published != 0:
		w.accept(before, w.visible, w.published)
	case same && before.accepted.Fallback && !s.accepted.Fallback: // it is what is mounted
		w.accept(before, w.staged, s.accepted.Number)
	case same && s.accepted.Survived && !before.accepted.Survived:
		w.accept(before, w.live, w.liveNumber)
	}
}

func (w *world) accept(before state, g *content, number int) {
	switch {
	case g == nil:
		w.fatalf("accepts what is not published")
	case len(w.config.Validate) > 0 && g.bad:
		w.fatalf("accepts a bad configuration")
	case w.unread && w.config.Probation > 0:
		w.fatalf("accepts %+v, which the app has not opened", *g)
	case g.fallback && (w.live != nil && w.live != g || g.unwell && len(w.config.Verify) > 0):
		w.fatalf("accepts the fallback, though %+v is accepted, or it isn't proved: %+v", w.live, *g)
	}
	if w.live == nil || g.number != w.live.number {
		w.unproved = len(w.config.Verify) > 0 && g.unwell && w.action != config.None
		if w.unproved && (w.live != nil || w.fallback != nil && !w.fellBack) {
			w.fatalf("accepts %+v, on which the app is not well", *g)
		}
	}
	w.confirmed[g.number] = w.confirmed[g.number] || w.rendered
	switch w.state.accepted.Earlier.Number {
	case 0:
		w.earlier = nil
	case before.accepted.Number:
		w.earlier, w.earlierNumber, w.earlierAt = w.live, w.liveNumber, w.liveAt
	}
	w.live, w.liveNumber, w.liveAt, w.survived = g, number, w.state.accepted.AcceptedAt, w.state.accepted.Survived
	w.visible, w.staged = nil, nil
	w.wasAccepted[g.shared().Hex()] = true
}

// acceptable reports whether nothing speaks against a configuration.
func (w *world) acceptable(c content) bool {
	return !c.invalid && !c.deadly && !c.killer && (!c.bad || len(w.config.Validate) == 0) && (!c.unrenderable || len(w.config.Render) == 0) && (!c.unwell || len(w.config.Verify) == 0) && !w.isShut(c)
}
