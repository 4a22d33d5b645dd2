package rollout

// Outcome is how a change ended, as confit tells its report hook.
type Outcome struct {
	Kind   Kind
	Step   string // which step rejected it
	Source string // where the configuration came from: mounted, stored or fallback
}

// Kind is the outcome's name.
type Kind string

// The outcomes that confit reports.
const (
	Accepted   Kind = "accepted"
	Rejected   Kind = "rejected"
	RolledBack Kind = "rolled-back"
	Superseded Kind = "superseded" // a newer change came before it was decided
	Stopped    Kind = "stopped"    // confit ended before it was decided
)

// Kinds lists the outcomes.
var Kinds = []Kind{Accepted, Rejected, RolledBack, Superseded, Stopped}

// sourceMounted is what the volumes hold, in contrast to what is stored or
// comes with the image.
const sourceMounted = "mounted"

// stepGate is the step of a candidate that the gate itself refused. That is no
// verdict, even from a holder: its gate didn't live to pass the hold on. Or the
// replica did pass, was killed, and starts again where the gate has five seconds
// only. Maybe the hash killed it, so it counts as lost.
const stepGate = "gate"

// Report is the record after a replica said how its change ended. Only a
// holder's report counts, and it ends the hold: to report twice changes
// nothing.
func (r Record) Report(me Replica, o Outcome) Record {
	next := r.clone()
	v := next.revision(me.Revision)
	before := v.Stable
	switch {
	case v.inFlight() > 0 && v.Trial.Hash == me.Hash && v.endHold(me) != "":
		next.judge(v, me, o)
	case o.Kind == Accepted && o.Source == sourceMounted && v.Stable == "" && v.Rejection(me.Hash) == nil && next.use(v):
		v.Stable = me.Hash // the first of its revision
	}
	if v.Stable != before && (o.Kind == Accepted || next.Snapshot == before) {
		next.Snapshot = v.Stable // what was rejected gives way to what was stable before, if anything was
	}
	return next
}

// judge takes in what a holder says.
func (r *Record) judge(v *Revision, me Replica, o Outcome) {
	switch o.Kind {
	case Accepted:
		v.accept()
	case Rejected, RolledBack:
		if o.Step == stepGate {
			r.lost(v)
		} else {
			v.reject(Rejection{Hash: me.Hash, Step: cut(o.Step), Pod: cut(me.PodName)})
		}
	case Stopped:
		// Maybe the kubelet did that, as the pod was unwell with it.
		r.lost(v)
	case Superseded:
	}
}

// accept counts one more replica for the trial's hash, which may be the last
// that was needed.
func (v *Revision) accept() {
	t := v.Trial
	t.Accepted++
	t.Losses, t.Lost = 0, 0
	switch enough := t.Accepted >= t.Canaries || !v.unproved(t.Hash); {
	case v.Rejection(t.Hash) != nil, v.Stable == t.Hash, !enough:
	default:
		v.Previous, v.Stable = v.Stable, t.Hash
	}
}

// reject stops a hash. What was stable before it is stable again.
func (v *Revision) reject(by Rejection) {
	if v.Rejection(by.Hash) == nil {
		v.Rejected = append(v.Rejected, by)
		v.Rejected = v.Rejected[max(0, len(v.Rejected)-maxRejected):]
	}
	if v.Stable == by.Hash {
		v.Stable, v.Previous = v.Previous, ""
	}
	if v.Previous == by.Hash {
		v.Previous = ""
	}
}

// cut keeps a name from filling the record.
func cut(name string) string { return name[:min(maxName, len(name))] }
