package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
)

// Given are objects as they would be: key → bytes of each.
type Given map[pods.Object]map[string][]byte

// Objects are those of them, sorted.
func Objects(g Given) []pods.Object {
	return slices.SortedFunc(maps.Keys(g), func(a, b pods.Object) int { return strings.Compare(a.String(), b.String()) })
}

// Names are theirs: configmap/web.
func Names(g Given) []string { return names(Objects(g)) }

// Trial is what is to be tried in one container of one pod, which stands for all of its template.
type Trial struct {
	Pod       *corev1.Pod
	Container *pods.Container
	Objects   []pods.Object // of those given the ones that the container follows, sorted
	Pods      int           // of the template
}

// Trials are those of some pods: one for each container of each template that follows a given object, in the order of the
// pods' names. Of a template's pods the first one that is ready stands for all; one that ends stands for none.
func Trials(list []*corev1.Pod, given Given) (trials []*Trial) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *corev1.Pod) int { return cmp.Or(readiness(a)-readiness(b), strings.Compare(a.Name, b.Name)) })
	seen := map[[2]string]*Trial{}
	for _, pod := range list {
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, c := range pods.Containers(pod) {
			key := [2]string{pods.Template(pod), c.Name}
			objects := followed(&c, given)
			switch t := seen[key]; {
			case t != nil:
				t.Pods++
			case len(objects) > 0:
				seen[key] = &Trial{pod, &c, objects, 1}
				trials = append(trials, seen[key])
			}
		}
	}
	slices.SortStableFunc(trials, func(a, b *Trial) int { return strings.Compare(a.Pod.Name, b.Pod.Name) })
	return trials
}

// readiness is 0 for a pod that is ready.
func readiness(pod *corev1.Pod) int {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return 0
		}
	}
	return 1
}

func followed(c *pods.Container, given Given) (list []pods.Object) {
	for _, o := range c.Objects() {
		if given[o] != nil {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b pods.Object) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// mounts are the volumes whose content is another one with the given objects.
func (t *Trial) mounts() (list []pods.Mount) {
	for _, m := range t.Container.Mounts {
		if !m.SubPath && slices.ContainsFunc(m.Sources, func(s pods.Source) bool { return slices.Contains(t.Objects, s.Object) }) {
			list = append(list, m)
		}
	}
	return list
}

// Needs are the objects that share a volume with a given one, and aren't given.
func (t *Trial) Needs() (list []pods.Object) {
	for _, m := range t.mounts() {
		for _, s := range m.Sources {
			if !slices.Contains(t.Objects, s.Object) && !slices.Contains(list, s.Object) {
				list = append(list, s.Object)
			}
		}
	}
	return list
}
