package supervisor

import (
	"confit/supervisor/app"
	"confit/supervisor/goal"
)

// circumstances are all that the goal depends on, where that is known of what is mounted.
func (t *transition) circumstances(m goal.Mount) goal.Known {
	k := goal.Known{Mount: m, Below: t.ladder.HasNext(), Down: t.ladder.IsDown(), Fallback: t.ladder.Fallback,
		Stops: t.isEnding() || t.app.Phase == app.Stopping, Broken: t.degraded != ""}
	switch {
	case t.onLadder().DiedTooOften():
		k.Edition = goal.Deadly
	case t.ladder.HasAccepted():
		k.Edition = goal.Good
	}
	switch {
	case t.app.Runs():
		k.App = goal.Up
	case !t.neverStarted():
		k.App = goal.Gone
	}
	return k
}

// goal is what the app shall have, where that is known of what is mounted.
func (t *transition) goal(m goal.Mount) goal.Goal { return t.circumstances(m).Goal() }

// failedMount is what is known of what is mounted, as something has failed.
func (t *transition) failedMount() goal.Mount {
	if t.failed.IsBearable() {
		return goal.Bearable
	}
	return goal.Refused
}

// isLast reports that the app has to live with the candidate: without that there is nothing that it
// could be started on. It needn't with the fallback, which only stands in: if that fails, too, what
// failed first decides.
func (t *transition) isLast() bool {
	without := t.circumstances(t.failedMount())
	without.App, without.Stops, without.Broken = goal.New, false, false
	return !t.candidate.Fallback && without.Goal() == goal.Nothing
}

// nothingToStartOn reports that only the mounted configuration could start the app.
func (t *transition) nothingToStartOn() bool { return t.neverStarted() && t.isLast() }

// blamesCandidate reports that the candidate is to blame if the app fails now, as the app was
// reloaded with it or started on it. Else the app's exit is confit's.
func (t *transition) blamesCandidate() bool {
	// else nothing can be taken back
	return t.exposure == read && t.unacceptedInForce() && t.degraded == "" && !t.isLast()
}
