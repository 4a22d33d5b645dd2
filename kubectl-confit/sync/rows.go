package sync

import (
	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// states are what a container's row means for its pod.
var states = map[verdict.State]State{
	verdict.Accepted: Accepted, verdict.Live: OnItsWay, verdict.Gated: Gated, verdict.OnItsWay: OnItsWay, verdict.Behind: Missing,
	verdict.Starting: Coming, verdict.Asked: Coming, verdict.Unknown: Unknown, verdict.Stuck: Unknown, verdict.Rejected: OnItsWay,
}

// order is which state of several containers counts for the pod: the first one.
var order = []State{Rejected, Missing, Coming, Unknown, OnItsWay, Gated, Soaking, Accepted}

// Fleet makes pods out of the rows of their containers. It remembers what the specs say, which never changes.
type Fleet struct {
	Soak  bool // to have accepted it isn't enough: see [Soaking]
	known map[string]spec
}

// spec is what decides of a pod's.
type spec struct {
	template string
	gates    map[string]bool // by container
}

// Of are the pods of rows, in their order. Those that take nothing are left out: that have ended, or follow no key. pod is one
// by its UID, nil if it isn't there any more.
func (f *Fleet) Of(rows []verdict.Row, pod func(uid string) *corev1.Pod) (list []Pod) {
	at := map[string]int{}
	for _, r := range rows {
		if r.State == verdict.Ended || r.State == verdict.Unfollowed || pod(r.UID) == nil {
			continue
		}
		s := f.spec(pod(r.UID))
		state := states[r.State]
		switch {
		case r.State == verdict.Rejected && r.Final:
			state = Rejected
		case state == Accepted && f.Soak && !r.Soaked:
			state = Soaking
		}
		i, known := at[r.UID]
		if !known {
			i = len(list)
			at[r.UID] = i
			list = append(list, Pod{Name: r.Pod, UID: r.UID, Group: s.template, State: Accepted})
		}
		list[i].State = before(state, list[i].State)
		list[i].Gate = list[i].Gate || s.gates[r.Container]
		list[i].Again = list[i].Again || r.Restarted
	}
	return list
}

func (f *Fleet) spec(pod *corev1.Pod) spec {
	uid := string(pod.UID)
	if s, known := f.known[uid]; known {
		return s
	}
	s := spec{pods.Template(pod), map[string]bool{}}
	for _, c := range pods.Containers(pod) {
		s.gates[c.Name] = c.Gated()
	}
	if f.known == nil {
		f.known = map[string]spec{}
	}
	f.known[uid] = s
	return s
}

// before is the one of two states that counts.
func before(a, b State) State {
	for _, s := range order {
		if s == a || s == b {
			return s
		}
	}
	return a
}
