package verdict

import "confit/linker"

// An edit that makes the cgroup run out of memory ends PID 1, too, by the app or by a hook. So what a
// kill would say in a moment is recorded before that moment comes, and the next confit finds it.

// Killed is what a kill would say while what comes from volumes so is in a step: what a former one
// has said of the same counts on. At the entrypoint only what has ended there before does.
func Killed(former *Verdict, inputs linker.Hash, step, suspects string) *Verdict {
	kills := 1
	if former.IsOf(inputs) && (step != linker.StepEntry || former.Step == step) {
		kills += former.Attempts
	}
	return Found(linker.Trial{Hash: inputs, Step: step, Kills: kills, Suspects: suspects})
}

// Found is what a record says; nil: nothing.
func Found(t linker.Trial) *Verdict {
	if t == (linker.Trial{}) {
		return nil
	}
	v := &Verdict{Inputs: t.Hash, PutOff: t.PutOff}
	v.Step, v.Reason, v.Attempts = t.Step, t.Suspects, t.Kills
	return v
}

// Record is what the next confit is to find.
func (v *Verdict) Record() (t linker.Trial) {
	if v != nil {
		t = linker.Trial{Hash: v.Inputs, Step: v.Step, Kills: v.Attempts, Suspects: v.Reason, PutOff: v.PutOff}
	}
	return t
}

// Kills is how often confit was killed, or the app ended at its entrypoint, while what comes from
// volumes so was tried.
func (v *Verdict) Kills(of linker.Hash) int {
	if !v.IsOf(of) {
		return 0
	}
	return v.Attempts
}

// IsIn reports that it is about that step.
func (v *Verdict) IsIn(step string) bool { return v != nil && v.Step == step }

// IsUnconfirmed reports that the app ended at its entrypoint, and has not begun on something else
// since.
func (v *Verdict) IsUnconfirmed() bool { return v.IsIn(linker.StepEntry) && v.Attempts == 0 }

// BehindOther is the verdict as something else comes first. An end at the entrypoint counts once the
// app has begun on that: what its script needs may be away.
func (v *Verdict) BehindOther() *Verdict {
	return v.With(func(v *Verdict) {
		v.PutOff = true
		if v.Step == linker.StepEntry {
			v.Attempts = 0
		}
	})
}

// Confirmed is the verdict as the app has begun on something else.
func (v *Verdict) Confirmed() *Verdict { return v.With(func(v *Verdict) { v.Attempts = 1 }) }
