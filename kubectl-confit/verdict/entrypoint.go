package verdict

import (
	"time"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// scriptWait is how long confit leaves a script alone that executes nothing, since it has seen it first. Any other entrypoint has another
// time, or one that somebody has set.
const scriptWait = 5 * time.Minute

// entrypoint names what the app does before it is what it was started for, and until when that is waited for.
func (v view) entrypoint() string {
	text, e := "the app's entrypoint", v.App.Entrypoint
	if e == nil {
		return text
	}
	return text + named(e)
}

// named is the program of an entrypoint, and the end of its time.
func named(e *status.Entrypoint) (text string) {
	if program := pods.Line(e.Program); program != "" {
		text = " " + program
	}
	if end := moment(e.Until); end != "" {
		text += until(end) + " at the latest"
	}
	return text
}

// waits reports that an edit, or the proof of one, waits for the app's entrypoint.
func (v view) waits() bool { return v.Phase == "waiting" || v.isBeginning() }

// isBeginning reports that the app has what is live, and that its proof waits for the app.
func (v view) isBeginning() bool { return v.Phase == "beginning" }

// provesAnother reports that the app has something else than what is mounted, and that the proof of that comes first.
func (v view) provesAnother() bool { return v.isBeginning() && v.Mounted != nil && !v.isLive() }

// doing is what confit does with an edit.
func (v view) doing() string {
	if v.waits() {
		return "confit waits for " + v.entrypoint()
	}
	return "confit is " + pods.Line(v.Phase)
}

// proving is what confit does with an edit that the app has.
func (v view) proving() string {
	if v.isBeginning() {
		return "the app has it; confit waits for " + v.entrypoint() + ", and then for the proof"
	}
	return "the app has it; confit waits for the proof"
}

// soaksAfter is a clause about an app that lives with nothing yet, as it hasn't begun; "" if it has. A script that executes nothing has.
func soaksAfter(s *status.Status) string {
	e := s.App.Entrypoint
	if e == nil || scriptEnd(e) != (time.Time{}) {
		return ""
	}
	return "it is at its entrypoint" + named(e)
}

// scriptEnd is when a script is no longer left alone that executes nothing; zero: this is another entrypoint.
func scriptEnd(e *status.Entrypoint) time.Time {
	since, known := parsed(e.Since)
	end, bounded := parsed(e.Until)
	if !known || !bounded || end.Sub(since) != scriptWait {
		return time.Time{}
	}
	return end
}

// waitFor notes that the row waits for an entrypoint, and when that ends if it is a script that executes nothing.
func (r *Row) waitFor(v view) {
	switch r.State {
	case OnItsWay:
		r.Waits = v.waits()
	case Live:
		r.Waits = v.isBeginning()
	}
	if e := v.App.Entrypoint; r.State == OnItsWay && v.Phase == "waiting" && e != nil {
		r.script = scriptEnd(e)
	}
}

// Longer is how much longer the wait may be than it was to be so far: an edit in front of a script that executes nothing waits for the rest
// of its five minutes. Waits at the same time count once, and of all together no more than five minutes, whatever pods and their clocks say.
func (w *Wait) Longer(now time.Time) (by time.Duration) {
	for c := range w.each {
		if left := scriptLeft(c.row.script, now, w.longest); left > 0 {
			more := min(left, scriptWait-w.longer)
			w.longest, w.longer, by = c.row.script, w.longer+more, by+more
		}
	}
	return by
}
