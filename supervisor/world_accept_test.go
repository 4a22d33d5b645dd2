package supervisor

import (
	"confit/config"
	"confit/supervisor/app"
)

// What the world holds of what confit accepts, and of what it takes back.

// goesBack notes that what was published is taken back, or what was accepted.
func (w *world) goesBack(j goBack) {
	if j.to != w.liveNumber && j.to != 0 {
		w.goesDown(j.to)
		return
	}
	if w.state.exposure.reached() {
		w.rollBack()
	}
	w.visible, w.staged = nil, nil
	if w.liveNumber > 0 {
		w.published = w.liveNumber
	}
}

// goesDown goes over to another rung: the app has died of what was in force.
func (w *world) goesDown(to int) {
	if w.held[to] == nil {
		w.fatalf("goes down to what was never accepted")
	}
	w.live, w.liveNumber, w.liveAt = w.held[to], to, w.state.accepted().AcceptedAt
	w.visible, w.staged, w.published = nil, nil, to
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

// noteAccepted notes what confit has accepted in a step.
func (w *world) noteAccepted(before state) {
	s := w.state
	is, was := s.accepted(), before.accepted()
	same := is.Number == was.Number
	switch {
	case s.degraded != "" || s.phase == done || same && (s.app.Phase == app.Stopping || s.isEnding()):
	case w.visible != nil && !s.exposure.published() && is.Number == w.published && w.published != 0:
		w.accept(w.visible, w.published)
	case same && was.Fallback && !is.Fallback: // it is what is mounted
		w.accept(w.staged, is.Number)
	case same && is.Started && !was.Started:
		w.accept(w.live, w.liveNumber)
	}
}

func (w *world) accept(g *content, number int) {
	switch {
	case g == nil:
		w.fatalf("accepts what is not published")
	case len(w.config.Validate) > 0 && g.bad:
		w.fatalf("accepts a bad configuration")
	case w.unread && w.config.Probation > 0 && w.disk.action.Kind != config.None && (w.live == nil || g.number != w.live.number):
		w.fatalf("accepts %+v, which the app has not opened", *g)
	case g.fallback && (w.live != nil && w.live != g || g.unwell && len(w.config.Verify) > 0):
		w.fatalf("accepts the fallback, though %+v is accepted, or it isn't proved: %+v", w.live, *g)
	}
	if w.live == nil || g.number != w.live.number {
		w.unproved = len(w.config.Verify) > 0 && g.unwell && w.disk.action.Kind != config.None
		if w.unproved && (w.live != nil || w.fallback != nil && !w.fellBack) {
			w.fatalf("accepts %+v, on which the app is not well", *g)
		}
	}
	w.live, w.liveNumber, w.liveAt, w.held[number] = g, number, w.state.accepted().AcceptedAt, g
	w.visible, w.staged = nil, nil
	w.wasAccepted[g.shared().Hex()] = true
}

// acceptable reports whether nothing speaks against a configuration.
func (w *world) acceptable(c content) bool {
	return !c.invalid && !c.deadly && !c.killer && (!c.bad || len(w.config.Validate) == 0) && (!c.unrenderable || len(w.config.Render) == 0) && (!c.unwell || len(w.config.Verify) == 0) && !w.isShut(c)
}
