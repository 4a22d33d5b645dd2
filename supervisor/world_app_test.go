package supervisor

import (
	"errors"

	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

func (w *world) spawn() event {
	switch {
	case w.app != 0 || w.zombie != 0:
		w.fatalf("spawns a second app beside %d", w.app)
	case w.stop:
		w.fatalf("spawns after a stop request")
	case w.live == nil && w.visible == nil:
		w.fatalf("spawns without a generation")
	case w.frail && w.oneIn(4):
		return startFailed{errors.New("no more processes"), process.ExitSystem}
	case w.oneIn(50):
		return startFailed{errors.New("not found"), 127}
	}
	w.pids++
	w.app, w.handler, w.beyond = w.pids, signals.Default, false
	w.doomed, w.unread = w.inForce().deadly || w.inForce().late, false
	return started{w.app}
}

// inForce is what the targets lead to.
func (w *world) inForce() *content {
	if w.visible != nil {
		return w.visible
	}
	return w.live
}

// read is what the app does when it reloads.
func (w *world) read() { w.doomed = w.inForce().deadly }

// successor takes the place of the app that was just reaped, if anything does.
func (w *world) successor() app.Successor {
	if !w.config.Adopt || w.rand.IntN(2) == 0 || w.leftover {
		return app.Successor{}
	}
	w.pids++
	return app.Successor{PID: w.pids, Group: process.Group(w.pids)}
}

func (w *world) runHook() event {
	switch {
	case w.hook != 0:
		w.fatalf("runs a second hook beside %d", w.hook)
	case w.stop:
		w.fatalf("runs a hook after a stop request")
	case w.oneIn(20):
		return hookStartFailed{err: errors.New("not found")}
	}
	if w.state.shown() == validating && w.staged != nil {
		if w.judged[*w.staged] {
			w.fatalf("validates %+v a second time", *w.staged)
		}
		w.judged[*w.staged] = true
	}
	w.mayBeAsked()
	w.mustBeOnTrial()
	w.pids++
	w.hook, w.hookKilled, w.hookTermed = w.pids, false, false
	return nil
}

func (w *world) endOfHook() {
	if w.hook == 0 || w.gateHangs() {
		return
	}
	w.hook = 0
	code := 0
	if w.hookKilled {
		code = 9
	}
	if w.hookFails() || w.oneIn(10) {
		code = 256
	}
	w.disk.rendered = w.disk.rendered || w.state.shown() == rendering && code == 0
	w.passed = w.state.shown() == gating && code == 0
	if w.state.shown() == reloading && w.app != 0 && !w.hookKilled {
		w.read()
	}
	w.give(hookEnded{Status: waitStatus(code), Tail: "last words"})
}

// hookFails reports that the hook of this phase finds something wrong.
func (w *world) hookFails() bool {
	switch w.state.shown() {
	case rendering:
		return w.staged != nil && w.staged.unrenderable && w.rand.IntN(2) == 0 // else the linker finds it
	case validating, checking:
		return w.staged != nil && w.staged.bad || w.visible != nil && w.visible.bad
	case gating:
		return w.staged != nil && w.staged.barred && !w.hookKilled
	case proving:
		return w.inForce() != nil && w.inForce().unwell
	}
	return false
}

var errBeyond = errors.New("operation not permitted")

// reach finds out whether a signal reaches the app now, if that has changed.
func (w *world) reach(s *state) event {
	switch {
	case w.beyond && s.app.Runs() && s.app.SignalErr == "":
		return denied{errBeyond}
	case !w.beyond && s.app.SignalErr != "":
		return denied{}
	}
	return nil
}

// signal is what the app makes of a signal, if that reaches it. Most apps stop when
// asked to.
func (w *world) signal(s signals.Signal) event {
	if w.beyond {
		return denied{errBeyond}
	}
	if s == signals.KILL || (s == signals.TERM && w.rand.IntN(4) > 0) {
		w.die()
	}
	if s == 1 && w.handler != signals.Caught { // nobody else sends HUP here
		w.fatalf("sends HUP to an app that doesn't take it")
	}
	if s == signals.HUP || s == 10 {
		w.read()
	}
	if s == signals.HUP && w.rand.IntN(4) == 0 { // a runtime that catches it and dies of it
		w.die()
		w.cause = []process.Status{waitStatus(1), waitStatus(129 << 8), 0, waitStatus(111 << 8)}[w.rand.IntN(4)]
	}
	return nil
}

func (w *world) die() {
	if w.app != 0 {
		w.app, w.zombie, w.leftover = 0, w.app, w.rand.IntN(3) == 0
		w.cause = waitStatus(w.rand.IntN(3) * 256)
		w.doomed = false
	}
}

func (w *world) deaths() {
	if w.doomed && w.app != 0 {
		w.die()
	}
	switch {
	case w.zombie != 0:
		w.zombie = 0
		e := exited{app.Exit{Status: w.cause, Successor: w.successor()}}
		w.succeeding = e.Successor.PID
		onTrial := w.visible != nil && w.state.degraded == "" && (w.live != nil && w.live.number != w.visible.number || w.live == nil && w.visible.fallback || w.live == nil && w.fallback != nil && !w.fellBack) && w.state.exposure.reached() && !w.stop && !w.state.app.IsStop(&e.Exit, w.now)
		w.give(e)
		if onTrial && w.state.isEnding() {
			w.fatalf("ends with an app that a candidate is to blame for")
		}
		if w.succeeding != 0 && w.state.app.PID == w.succeeding {
			w.app = w.succeeding
		}
		w.succeeding = 0 // or it ends as a leftover
	case w.leftover:
		w.leftover = false
		w.give(reaped{1})
	default:
		w.give(reaped{1})
	}
}

func (w *world) endLeftovers(a app.EndLeftovers) event {
	if a.Group <= 1 {
		w.fatalf("ends group %d", a.Group)
	}
	w.drainsAlone()
	if a.Signal != 0 && w.rand.IntN(2) == 0 {
		w.leftover = false
	}
	return cleared{w.leftover || w.report != nil && !w.reportEnds}
}

// waitStatus is a wait status: n is a signal below 128, else an exit code above.
func waitStatus(n int) process.Status { return process.Status(n) }
