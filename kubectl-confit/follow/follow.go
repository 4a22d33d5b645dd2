package follow

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// Scope is what a verb is about.
type Scope struct {
	Pods    cluster.Selection
	Objects []pods.Object   // empty: all that the pods mount
	Pinned  verdict.Objects // Objects as they were when the verb began; those that aren't in it are read
}

// ScopeOf is the scope that a command line names: ConfigMaps and Secrets, of pods that may have labels, or workloads and pods.
// The error is the command line's.
func ScopeOf(named []*cluster.Named, labels string) (Scope, error) {
	s := Scope{Pods: cluster.Selection{Labels: labels}, Pinned: verdict.Objects{}}
	for _, n := range named {
		switch {
		case n.Data != nil:
			s.Objects = append(s.Objects, n.Data.Object)
			s.Pinned[n.Data.Object] = n.Data
		case labels != "":
			return s, errors.New("a workload or pod and -l are there: write one of the two")
		default:
			s.Pods.Any = append(s.Pods.Any, n.Pods)
		}
	}
	switch {
	case len(s.Pods.Any) == 1 && len(named) == 1:
		s.Pods = s.Pods.Any[0] // which the server can select
	case len(s.Pods.Any) > 0 && len(s.Objects) > 0:
		return s, errors.New("ConfigMaps or Secrets are there, and workloads or pods: write one of the two")
	}
	return s, nil
}

// Options are how to wait.
type Options struct {
	Timeout time.Duration         // 0: none
	Clock   clock.WithTicker      // nil: the real one
	Soak    bool                  // the apps have to live with it for their confits' --soak, too
	Each    func(row verdict.Row) // is called with each row that has changed, from one goroutine; may be nil
	Longer  func(time.Duration)   // is called with what is added to Timeout, as an edit waits for a script; may be nil
	Act     Act                   // may be nil
	Endless bool                  // it waits for nothing: Each tells what changes until the context ends, edits included
}

// Act is called with all rows as soon as each pod that is there is known, after each change, and when the time is over that it
// has returned; 0: only after a change. It is called from one goroutine, and not any more when there is a result. spec is a
// pod that nobody may change. The containers of the pods in soon are asked before their turn.
type Act func(now time.Time, rows []verdict.Row, spec func(uid string) *corev1.Pod) (soon []string, next time.Duration)

// Report is what a look or a wait has found.
type Report struct {
	Objects verdict.Objects // what the API has, or had when the wait began
	Rows    []verdict.Row   // of containers with confit that mount something of it
	Without []verdict.Without
	Result  verdict.Result
}

// objectsOf are the objects that containers with confit have.
func objectsOf(list []*corev1.Pod) []pods.Object {
	all := sets.Set[pods.Object]{}
	for _, pod := range list {
		for _, c := range pods.Containers(pod) {
			all.Insert(c.Objects()...)
		}
	}
	return all.UnsortedList()
}

// neighbours are the objects that share volumes with others in containers with confit, and these.
func neighbours(pod *corev1.Pod, of []pods.Object) (all []pods.Object) {
	for _, c := range pods.Containers(pod) {
		for _, m := range c.Mounts {
			if m.SubPath || !slices.ContainsFunc(m.Sources, func(s pods.Source) bool { return slices.Contains(of, s.Object) }) {
				continue
			}
			for _, s := range m.Sources {
				all = append(all, s.Object)
			}
		}
	}
	return all
}
