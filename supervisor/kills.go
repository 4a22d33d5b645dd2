package supervisor

// A kill of confit while it tries a candidate is counted by the linker's trial: an
// edit that makes the cgroup run out of memory ends PID 1, too, by the app or by a
// hook. The trial is open while a hook runs, and from the publish on.

// isDeadly reports that confit was killed with the candidate more than once, and
// that there is something else to start on.
func (t *transition) isDeadly() bool {
	return t.candidate.Kills >= maxKills && t.hasResort() && !t.onFallback() && (!t.isAccepted() || t.doubtful())
}

// mayBeDeadly reports that confit was killed with the candidate, and that the app
// isn't started yet.
func (t *transition) mayBeDeadly() bool {
	return t.candidate.Kills > 0 && t.neverStarted() && !t.isAccepted() && !t.onFallback()
}

func (t *transition) killKeys() []any {
	return []any{"hash", t.candidate.Hash, "step", t.candidate.KilledIn, "kills", t.candidate.Kills}
}
