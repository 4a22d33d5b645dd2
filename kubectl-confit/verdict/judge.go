package verdict

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// Judge says what became in a container of the objects that are asked about; of all that it mounts if only is empty. have
// are these objects and, where they can be read, the others of its volumes; nil: only what confit says of itself counts. The answer counts only if the container runs.
func Judge(pod *corev1.Pod, c *pods.Container, a Answer, have Objects, only []pods.Object) Row {
	row, runs := FromAPI(pod, c)
	if !runs {
		return row
	}
	switch {
	case a.Status == nil:
		row.State, row.Why = Unknown, pods.Join("; ", tame(a.Err), row.Why)
	case a.Status.Phase == phaseDone:
		row.State, row.Why = Starting, notUp
	default:
		started := row.Since
		row.Since, row.Why = "", ""
		row.life(a.Status)
		v := view{a.Status, c.Volumes}
		row.judge(c, v, have, only)
		row.outlive(v, started)
		row.agree(a.Status)
		row.waitFor(v)
	}
	return row
}

// life is what is known of the hash that is mounted, and of how long the app has lived with what is accepted.
func (r *Row) life(s *status.Status) {
	if s.Mounted != nil {
		r.Hash = pods.Line(s.Mounted.Shared)
	}
	if s.Accepted != nil {
		r.Soaked, r.SoaksAt = s.Accepted.Soaked, moment(s.Accepted.SoaksAt)
		r.entry = soaksAfter(s)
	}
}

// What a former run of the container has left behind.
const (
	phaseDone = "done"
	notUp     = "confit has not come up yet"
)

// outlive takes back an acceptance that a death of the app may have put in doubt since.
func (r *Row) outlive(v view, started status.Time) {
	if r.State == Accepted && !r.Soaked && v.Accepted != nil && isOfFormer(v.Accepted, started) {
		r.State, r.Restarted = Live, true
		r.Why = pods.Join("; ", "its container was restarted since it accepted it: "+r.soaks(), r.Why)
	}
}

// agree notes that confit's own --status is 3. A rejection counts only as long as what is asked about isn't accepted: it is of something else.
func (r *Row) agree(s *status.Status) {
	own := *s
	if r.State == Accepted {
		own.Rejection = nil
	}
	if r.bad = own.Verdict() == status.Rejected; r.bad && r.Why == "" {
		headline, _, _ := strings.Cut(string(own.Text(time.Time{})), "\n")
		r.Why = headline
	}
}

func tame(err error) string {
	if err == nil {
		return "nobody has asked it"
	}
	return pods.Line(err.Error())
}

// judge compares what confit says with what the API has.
func (r *Row) judge(c *pods.Container, v view, have Objects, only []pods.Object) {
	if have == nil {
		r.alone(v)
		return
	}
	found := compare(c, v, have, only)
	r.Keys = found.keys
	switch {
	case len(found.keys) == 0 && len(found.unreadable) > 0:
		r.alone(v)
	case len(found.keys) == 0 && found.old:
		r.State, r.Why = Unknown, tooOld
	case len(found.keys) == 0:
		r.State, r.Why = Unfollowed, "confit takes no key of it"
	case found.all(Accepted) && v.provesAnother():
		r.State, r.Since, r.Why = OnItsWay, v.Mounted.Since, v.doing()
	case found.all(Accepted) && v.Unwell != "":
		r.State, r.Since, r.Why = Live, since(v.Accepted), "the app isn't well with it: "+pods.Line(v.Unwell)
	case found.all(Accepted):
		r.State, r.Since, r.Why = Accepted, since(v.Accepted), pods.Join("; ", v.ails())
	case v.ails() != "":
		r.State, r.Why = Stuck, v.ails()
	case found.has(Behind):
		r.State, r.Why = Behind, found.whyBehind(v)
	case v.stands():
		r.rejected(v)
	case v.isDown():
		r.State, r.Since, r.Why = OnItsWay, moment(v.GoneDown.From.Since), "the app died of it, and is tried on what was accepted before: "+pods.Line(v.GoneDown.Reason)
	case v.Gate != nil:
		r.State, r.Since, r.Why = Gated, v.Gate.Since, "it waits for the gate"
	case v.isLive():
		r.State, r.Since, r.Why = Live, v.Live.Since, v.proving()
	default:
		r.State, r.Since, r.Why = OnItsWay, v.Mounted.Since, v.doing()
	}
	if found.old && len(found.keys) > 0 {
		r.Why = pods.Join("; ", r.Why, tooOld)
	}
	if len(found.unreadable) > 0 {
		r.Why = pods.Join("; ", r.Why, fmt.Sprintf("%s can't be read: its keys aren't compared", found.unreadable[0]))
	}
}

// alone is what confit says of what is mounted, if there is nothing to compare that with.
func (r *Row) alone(v view) {
	switch {
	case v.ails() != "":
		r.State, r.Why = Stuck, v.ails()
	case v.hasAccepted() && !v.provesAnother():
		r.State, r.Since = Accepted, since(v.Accepted)
	case v.stands():
		r.rejected(v)
	default:
		r.State, r.Why = OnItsWay, v.doing()
	}
}

const tooOld = "the confit of this pod is too old to say which keys it takes: only those that it has taken before are compared"

func since(a *status.Accepted) status.Time {
	if a == nil {
		return ""
	}
	return moment(a.Since)
}

// ails says why confit applies no change.
func (v view) ails() string {
	switch {
	case v.Degraded != "":
		return "confit broke down and applies no change: " + pods.Line(v.Degraded)
	case v.Stalled != "":
		return "a volume or the state directory doesn't answer"
	case v.Trouble != "" && v.PendingSince != "":
		return "the system refuses: " + pods.Line(v.Trouble)
	}
	return ""
}

// rejected tells the rejection of what is mounted.
func (r *Row) rejected(v view) {
	j := v.Rejection
	r.State, r.Since, r.Step, r.Attempts = Rejected, moment(j.At), pods.Line(j.Step), j.Attempts
	if r.Why = pods.Line(j.Reason); !strings.HasPrefix(r.Why, r.Step+" ") { // a hook is named by its step
		r.Why = r.Step + ": " + r.Why
	}
	r.Output = lines(j.Output)
	switch j.Step {
	case "gate":
		r.State = Gated
	case "stage", "render", "validate": // these may fail for a reason that passes
		r.Final = j.Attempts > 1 || j.NextTry == ""
	default:
		r.Final = true
	}
}

// lines are tame lines.
func lines(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	for i := range all {
		all[i] = status.Clean(strings.TrimRight(all[i], "\r"))
	}
	return strings.Join(all, "\n")
}

// whyBehind says what keeps the kubelet from bringing what the API has. A confit in a splay or a probation doesn't look.
func (r *comparison) whyBehind(v view) string {
	switch {
	case len(r.missing) > 0 && r.missing[0].Key != "":
		return fmt.Sprintf("the kubelet can't bring it: %s has no key %q", r.missing[0].Object, r.missing[0].Key)
	case len(r.missing) > 0:
		return fmt.Sprintf("the kubelet can't bring it: there is no %s", r.missing[0].Object)
	case len(r.frozen) > 0:
		return fmt.Sprintf("%s is immutable: give it another name, or let no pod of the node have it for a while", r.frozen[0])
	case v.Phase == "splaying", v.Phase == "reading", v.Phase == "proving":
		return "the kubelet has not brought it yet, or confit is busy with what came before"
	}
	return "the kubelet has not brought it yet"
}

// Hash is CONFIT_HASH of what the containers have mounted that the API's bytes have reached; "" if there is none, or not one alone.
func Hash(rows []Row) (hash string) {
	for _, r := range rows {
		switch r.State {
		case Accepted, Live, Gated, OnItsWay, Rejected:
			if r.Hash != "" && hash != "" && r.Hash != hash {
				return ""
			}
			hash = cmp.Or(r.Hash, hash)
		}
	}
	return hash
}

// Exit codes of verdicts.
const (
	Well  = 0 // nobody has rejected anything, and everybody could be asked
	Wrong = 1 // somebody couldn't be asked, or a wait came to nothing
	Bad   = 3 // somebody has rejected it, applies no change, or isn't well
)

// Code is the exit code for rows: Bad before Wrong before Well. It is Bad, too, where confit's own --status is 3, a container ends again and
// again, or waits at its gate for what others have rejected.
func Code(rows []Row) (code int) {
	for _, r := range rows {
		switch {
		case r.bad, r.State == Rejected, r.State == Stuck:
			return Bad
		case r.State == Unknown:
			code = Wrong
		}
	}
	return code
}
