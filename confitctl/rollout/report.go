package rollout

// Outcome is how a change ended, or what became of it, as confit tells its report
// hook.
type Outcome struct {
	Kind   Kind
	Step   string // which step rejected it
	Source string // what the app goes on with: mounted, stored or fallback
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
	Relapsed   Kind = "relapsed"   // it was accepted, and the app has ended with it soon after
	Soaked     Kind = "soaked"     // it was accepted, and the app has lived with it for long
)

// Kinds lists the outcomes.
var Kinds = []Kind{Accepted, Rejected, RolledBack, Superseded, Stopped, Relapsed, Soaked}

// sourceMounted is what the volumes hold, in contrast to what is stored or
// comes with the image.
const sourceMounted = "mounted"

// stepGate is the step of a candidate that the gate itself refused. That is no
// verdict, even from a holder: its gate didn't live to pass the hold on. Or the
// replica did pass, was killed, and starts again where the gate has five seconds
// only. Maybe the hash killed it, so it counts as lost.
const stepGate = "gate"

// stepSoak is the step of a candidate that the app has died of after its probation.
const stepSoak = "soak"

// Report is the record after a replica said how its change ended, or what became of
// it. What a holder says ends its hold. What is said against a hash that is tried or
// stable counts whoever says it, once for each pod. To report twice changes nothing.
// The date is by the clock of whoever stores the record, in seconds since 1970; 0: it
// isn't known.
func (r Record) Report(me Replica, o Outcome, date int64) Record {
	if r.mixedUp(me) {
		return r
	}
	next := r.clone()
	v := next.revision(me.Revision)
	v.see(date)
	held := v.inFlight() > 0 && v.Trial.Hash == me.Hash && v.endHold(me) != ""
	if o.Kind != Relapsed {
		v.answer(me)
	}
	switch {
	case v.hears(me.Hash):
		next.judge(v, me, o, held, date)
	case o.Kind == Accepted && o.Source == sourceMounted && v.Stable == "" && v.Rejection(me.Hash) == nil && next.use(v):
		next.first(v, me.Hash, date)
	}
	next.settle(date)
	next.squeeze()
	return next
}

// judge takes in what a replica says about a hash that is tried or stable.
func (r *Record) judge(v *Revision, me Replica, o Outcome, held bool, date int64) {
	switch {
	case v.Rejection(me.Hash) != nil:
	case o.Kind == Relapsed:
		r.relapse(v, me, o, date)
	case o.Kind == Soaked:
		r.prove(v.known(me.Hash))
	case o.isVerdict(held):
		if !r.fail(v, me, o, date) && held {
			r.lost(v, date)
		}
	case o.Kind == Accepted && (held || v.Trial != nil && v.Trial.Free && v.Trial.Hash == me.Hash):
		r.accept(v, date)
	case o.Kind == Accepted:
		r.follow(v, me, o)
	case !held:
	case o.Kind != Superseded:
		// Refused by its gate, or stopped: maybe as the pod was unwell with it.
		r.lost(v, date)
	}
}

// IsBack reports that the app runs on what its replica goes on with. After most roll
// backs it is still on its way there. After one at step soak it has lived there.
func (o Outcome) IsBack() bool { return o.Kind != RolledBack || o.Step == stepSoak }

// isVerdict reports that the app couldn't live with the hash. Who was refused before
// the app could read it says that only as a holder.
func (o Outcome) isVerdict(held bool) bool {
	switch {
	case o.Step == stepGate:
		return false
	case o.Kind == Rejected:
		return held || o.Source == sourceMounted
	}
	return o.Kind == RolledBack
}
