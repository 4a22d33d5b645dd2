package supervisor

import (
	"cmp"
	"confit/linker"
	"confit/supervisor/verdict"
)

// The world of the linker's record of kills.

// wasKilled lets a former confit have been killed with a content. A confit has just
// one life here.
func (w *world) wasKilled(c content) {
	switch {
	case c.killer:
		w.state.killed = verdict.Found(linker.Trial{Hash: letter(c.number).inputs(), Step: linker.StepPublish, Kills: maxKills})
	case c.shaky:
		w.state.killed = verdict.Found(linker.Trial{Hash: letter(c.number).inputs(), Step: linker.StepPublish, Kills: 1})
	}
}

// noteTrial notes which step a kill would count in.
func (w *world) noteTrial(a record) {
	if w.trial = ""; w.state.risk.step != "" && a.trial == w.state.recorded.Record() {
		w.trial = a.trial.Step
	}
}

// mustBeOnTrial holds that a kill counts in each hook that makes or checks the
// candidate, and in the gate of a start; unless somebody wants the app to stop.
func (w *world) mustBeOnTrial() {
	s := w.state
	about := cmp.Or(w.staged, w.visible)
	if about != nil && (about.fallback || w.live != nil && w.live.number == about.number) {
		return // there is nothing to prove, or nothing else is left
	}
	want := ""
	switch {
	case s.excused:
	case w.visible != nil && w.visible == about: // a fallback may still be visible, as the system refused to take it back
		want = linker.StepPublish
	case s.shown() == rendering, s.shown() == validating, s.shown() == gating && s.neverStarted():
		want = linker.StepHooks
	}
	if w.trial != want {
		w.fatalf("runs a hook in %v, and the trial is %q, want %q", s.shown(), w.trial, want)
	}
}

// checkTrial holds that no kill counts in a wait beside an app that runs.
func (w *world) checkTrial(s state) {
	if (s.shown() == splaying || s.shown() == gating && !s.neverStarted() || s.shown() == running) && s.degraded == "" && w.trial != "" {
		w.fatalf("the trial %q is open in %v", w.trial, s.shown())
	}
}

// mayStartOn holds that what confit was killed with isn't the first thing that an
// app is started on, if there is something else.
func (w *world) mayStartOn() {
	other := w.live != nil && w.live.number != w.staged.number || w.live == nil && w.fallback != nil && !w.fellBack
	if w.staged.shaky && w.state.neverStarted() && other {
		w.fatalf("starts the app on %+v", *w.staged)
	}
}
