// Package trial counts how often confit was killed while it tried a candidate.
//
// An edit that makes the cgroup run out of memory ends PID 1, too, by the app or by a hook. So what
// a kill would say in a moment is recorded before that moment comes, and the next confit finds it.
//
// It guarantees that
//   - a kill counts for what was tried in that moment, and for nothing else;
//   - an end that confit has seen is no kill, nor is one after somebody asked the app to stop;
//   - an end of the app at its entrypoint counts as a kill, and only once the app has begun on
//     something else: what its script needs may be away;
//   - what confit was killed with is put off once: it may be what repairs the rest.
//
// It writes nothing: the caller has Record written whenever Record says that it is new.
package trial

import "confit/linker"

// Trials is what a former confit was killed in, and what this one tries.
type Trials struct {
	Former   linker.Trial // in which a former confit was killed, and which nothing has ended since
	Recorded linker.Trial // what is on the disk, or on its way there
	open     linker.Trial // the candidate's
	Disarmed bool         // the app was asked to stop: a kill of confit says nothing of the candidate
}

// Former are the trials of a confit that finds one on the disk. An end at the entrypoint doesn't
// count where the app hasn't begun on something else since.
func Former(found linker.Trial) Trials {
	t := Trials{Former: found, Recorded: found}
	if t.IsUnconfirmed() {
		t.Forget()
	}
	return t
}

// Fresh begins with another candidate, which nothing is tried of.
func (t *Trials) Fresh() {
	t.Pause()
	t.Disarmed = false
}

// Kills is how often confit was killed while it tried what comes from volumes so.
func (t *Trials) Kills(of linker.Hash) int {
	if t.Former.Hash != of {
		return 0
	}
	return t.Former.Kills
}

// IsOpen reports that the candidate is tried.
func (t *Trials) IsOpen() bool { return t.open.Step != "" }

// IsAtEntrypoint reports that the candidate is tried in that step.
func (t *Trials) IsAtEntrypoint() bool { return t.open.Step == linker.StepEntry }

// IsFirst reports that nothing has ended in what is tried before.
func (t *Trials) IsFirst() bool { return t.open.Kills == 1 }

// Begin begins a step. It counts the kills before, and this one if there is one.
func (t *Trials) Begin(of linker.Hash, step, suspects string, kills int) {
	t.open = linker.Trial{}
	if !t.Disarmed {
		t.open = linker.Trial{Hash: of, Step: step, Kills: kills + 1, Suspects: suspects}
	}
}

// Pause is for a wait beside an app that runs: it alone uses memory, and it hasn't read the
// candidate.
func (t *Trials) Pause() { t.open = linker.Trial{} }

// End ends the trial before confit's eyes. That a former one was killed in just this step is
// forgotten. A candidate that isn't tried, as it has killed confit too often, keeps its record.
func (t *Trials) End() {
	if t.open.Step == t.Former.Step && t.open.Hash == t.Former.Hash {
		t.Former = linker.Trial{}
	}
	t.open = linker.Trial{}
}

// Disarm ends the trial as the app was asked to stop: if it doesn't in time, the platform kills it
// and confit.
func (t *Trials) Disarm() {
	t.Disarmed = true
	t.End()
}

// Ended keeps the trial as a kill would: the app has ended at its entrypoint.
func (t *Trials) Ended() { t.Former, t.open = t.open, linker.Trial{} }

// PutOff notes that something else comes first. An end at the entrypoint counts once the app has
// begun on that.
func (t *Trials) PutOff() {
	t.Former.PutOff = true
	if t.Former.Step == linker.StepEntry {
		t.Former.Kills = 0
	}
}

// IsUnconfirmed reports that the app ended at its entrypoint, and has not begun on something else
// since.
func (t *Trials) IsUnconfirmed() bool {
	return t.Former.Step == linker.StepEntry && t.Former.Kills == 0
}

// Confirm counts that end: the app has begun on something else.
func (t *Trials) Confirm() { t.Former.Kills = 1 }

// Forget forgets what a former confit was killed in.
func (t *Trials) Forget() { t.Former = linker.Trial{} }

// Now is the trial that the disk has to hold: the next confit finds it there if this one is killed.
// life is what comes from volumes of the generation that the app lives on, if its life counts.
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
