package supervisor

import "confit/linker"

// The world of the linker's record of kills.

// wasKilled tells of the kills with what is mounted.
func (c content) wasKilled(candidate *linker.Candidate) {
	switch {
	case c.killer:
		candidate.Kills, candidate.KilledIn = maxKills, "validate"
	case c.shaky:
		candidate.Kills, candidate.KilledIn = 1, "validate"
	}
}

func (w *world) performTrial(a any) {
	switch a := a.(type) {
	case arm:
		w.trial = a.step
		w.begin(func() event { return armed{} })
	case noteStep:
		if w.visible == nil {
			w.fatalf("notes a step of what isn't published")
		}
		w.trial = a.step
	case abandonTrial:
		w.trial = ""
	}
}

// mustBeOnTrial holds that a kill counts in each hook that makes or checks the
// candidate, by the hook's name; unless somebody wants the app to stop.
func (w *world) mustBeOnTrial() {
	s := w.state
	name := (&transition{state: s, config: w.config}).ownHook().name
	switch tries := s.shown() == rendering || s.shown() == validating || w.visible != nil; {
	case s.shown() == gating && w.trial != "", tries && !s.excused && w.trial != name, s.excused && w.trial != "":
		w.fatalf("runs %s, and the trial is %q", name, w.trial)
	}
}

// checkTrial holds that no kill counts in a wait.
func (w *world) checkTrial(s state) {
	if (s.shown() == splaying || s.shown() == gating || s.shown() == running) && s.degraded == "" && w.trial != "" {
		w.fatalf("the trial %q is open in %v", w.trial, s.shown())
	}
}

// mayBePublished holds that what confit was killed with isn't the first thing that an
// app is started on, if there is something else.
func (w *world) mayBePublished() {
	other := w.live != nil && w.live.number != w.staged.number || w.live == nil && w.fallback != nil && !w.fellBack
	if w.staged.shaky && w.state.neverStarted() && other {
		w.fatalf("starts the app on %+v", *w.staged)
	}
}
