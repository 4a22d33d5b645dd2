package supervisor

import (
	"time"

	"confit/linker"
	"confit/supervisor/app"
)

// check holds what must be true after every step.
func (w *world) check() {
	s := w.state
	waits := s.shown() != phase(app.Stopping) && s.shown() != done && (s.shown() != running || s.degraded == "")
	if waits && s.due().IsZero() {
		w.fatalf("phase %v has no deadline", s.shown())
	}
	is, want := s.accepted().Generation, linker.Generation{}
	if w.live != nil {
		want = w.live.generation(w.liveNumber)
		want.AcceptedAt = w.liveAt
	}
	if s.degraded != "" { // nobody looks at what is mounted any more
		is.Fallback = want.Fallback
	}
	if leaving := s.shown() == phase(app.Stopping) || s.shown() == done || s.isEnding() || s.shown() == withdrawing; !leaving && is != want {
		w.fatalf("takes %v for what is accepted, which is %v", is, want)
	}
	if s.shown() == phase(app.Stopping) && !s.due().IsZero() {
		w.fatalf("stopping has a deadline: the platform owns it")
	}
	w.checkGate(s)
	w.checkKeys(s)
	w.checkTrial(s)
	switch p := s.shown(); p {
	case phase(app.Up), phase(app.Down), serving:
		w.fatalf("phase %v is shown, which nobody knows", p)
	}
	if s.shown() == running && s.app.PID == 0 {
		w.fatalf("running without an app")
	}
	if s.shown() == running && w.app == 0 && w.zombie == 0 && w.succeeding == 0 {
		w.fatalf("running without an app")
	}
}

// mustAct holds that a deadline that is reached does something. Else nothing ends
// the phase, and the loop spins: its timer goes off again at once.
func (w *world) mustAct(before, after state, actions []action) {
	if after.shown() != before.shown() || after.shown() == done || len(actions) > 0 {
		return
	}
	over := func(by time.Time) bool { return !by.IsZero() && !w.now.Before(by) }
	was, is := before.timers(), after.timers()
	for of := range was {
		if over(was[of]) && over(is[of]) {
			w.fatalf("the deadline %d of %v does nothing", of, before.shown())
		}
	}
}

func (w *world) mayBeSignalled(pid int) {
	if pid <= 1 || (pid != w.app && pid != w.zombie && pid != w.succeeding) {
		w.fatalf("signals pid %d, which is not alive (app %d)", pid, w.app)
	}
}
