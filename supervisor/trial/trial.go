// Package trial counts how often confit was killed while it tried a candidate.
//
// An edit that makes the cgroup run out of memory ends PID 1, too, by the app or by a hook. So what a kill would say in a moment is
// recorded before that moment comes, and the next confit finds it.
//
// It guarantees that
//   - a kill counts for what was tried in that moment, and for nothing else;
//   - an end that confit has seen is no kill, nor is one after somebody asked the app to stop;
//   - what confit was killed with is put off once: it may be what mends the rest.
//
// It writes nothing: the caller has Record written whenever Record says that it is new.
package trial

import "confit/linker"

// Trials is what a former confit was killed in, and what this one tries.
type Trials struct {
	Former   linker.Trial // in which a former confit was killed, and which nothing has ended since
	Recorded linker.Trial // what is on the disk, or on its way there
	open     linker.Trial // the candidate's
	Excused  bool         // the app was asked to stop: a kill of confit says nothing of the candidate
}

// Former are the trials of a confit that finds one on the disk.
func Former(t linker.Trial) Trials { return Trials{Former: t, Recorded: t} }

// Fresh begins with another candidate, which nothing is tried of.
func (t *Trials) Fresh() { t.open, t.Excused = linker.Trial{}, false }

// Kills is how often confit was killed while it tried what comes from volumes so.
func (t *Trials) Kills(of linker.Hash) int {
	if t.Former.Hash != of {
		return 0
	}
	return t.Former.Kills
}

// IsOpen reports that the candidate is tried.
func (t *Trials) IsOpen() bool { return t.open.Step != "" }

// Begin begins a step. It counts the kills before, and this one if there is one.
func (t *Trials) Begin(of linker.Hash, step, suspects string, kills int) {
	if t.open = (linker.Trial{}); !t.Excused {
		t.open = linker.Trial{Hash: of, Step: step, Kills: kills + 1, Suspects: suspects}
	}
}

// Pause is for a wait beside an app that runs: it alone uses memory, and it hasn't read the candidate.
func (t *Trials) Pause() { t.open = linker.Trial{} }

// End ends the trial before confit's eyes. That a former one was killed in just this step is forgotten. A candidate that isn't tried, as it
// has killed confit too often, keeps its record.
func (t *Trials) End() {
	if t.open.Step == t.Former.Step && t.open.Hash == t.Former.Hash {
		t.Former = linker.Trial{}
	}
	t.open = linker.Trial{}
}

// Excuse ends the trial as the app was asked to stop: if it doesn't in time, the platform kills it and confit.
func (t *Trials) Excuse() {
	t.Excused = true
	t.End()
}

// Forget forgets what a former confit was killed in.
func (t *Trials) Forget() { t.Former = linker.Trial{} }

// Now is what a kill would say in this moment. life is what comes from volumes of the generation that the app lives on, where that life
// counts; else zero.
func (t *Trials) Now(life linker.Hash) linker.Trial {
	switch {
	case t.IsOpen():
		return t.open
	case life == linker.Hash{}:
		return t.Former
	case t.Recorded.Step == linker.StepPublish && t.Recorded.Hash == life: // it goes on
		return t.Recorded
	}
	return linker.Trial{Hash: life, Step: linker.StepPublish, Kills: 1, Suspects: "the app"}
}

// Record takes up what is to be on the disk, and reports whether that is new.
func (t *Trials) Record(now linker.Trial) (isNew bool) {
	isNew = now != t.Recorded
	t.Recorded = now
	return isNew
}
