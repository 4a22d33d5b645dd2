package supervisor

import "time"

// check holds what must be true after every step.
func (w *world) check() {
	s := w.state
	waits := s.phase != stopping && s.phase != done && (s.phase != running || s.degraded == "")
	if waits && s.deadline.IsZero() {
		w.fatalf("phase %v has no deadline", s.phase)
	}
	if s.degraded != "" { // nobody looks at what is mounted any more
		s.accepted.Fallback = w.accepted().Fallback
	}
	if leaving := s.phase == stopping || s.phase == done || s.ending; !leaving && s.accepted != w.accepted() {
		w.fatalf("takes %v for what is accepted, which is %v", s.accepted, w.accepted())
	}
	if s.phase == stopping && !s.deadline.IsZero() && !s.app.asksAgain {
		w.fatalf("stopping has a deadline: the platform owns it")
	}
	w.checkGate(s)
	w.checkKeys(s)
	w.checkTrial(s)
	if s.phase == running && s.app.pid == 0 {
		w.fatalf("running without an app")
	}
	if s.phase == running && w.app == 0 && w.zombie == 0 && w.succeeding == 0 {
		w.fatalf("running without an app")
	}
}

// mustAct holds that a deadline that is reached does something. Else nothing ends
// the phase, and the loop spins: its timer goes off again at once.
func (w *world) mustAct(before, after state, actions []action) {
	if after.phase != before.phase || after.phase == done || len(actions) > 0 {
		return
	}
	over := func(by time.Time) bool { return !by.IsZero() && !w.now.Before(by) }
	switch {
	case over(before.deadline) && over(after.deadline):
		w.fatalf("the deadline of %v does nothing", before.phase)
	case over(before.deadlineBeside()) && over(after.deadlineBeside()):
		w.fatalf("the deadline of the report does nothing")
	}
}

func (w *world) mayBeSignalled(pid int) {
	if pid <= 1 || (pid != w.app && pid != w.zombie && pid != w.succeeding) {
		w.fatalf("signals pid %d, which is not alive (app %d)", pid, w.app)
	}
}
