package verdict

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
)

// Without is a container that has an object of those that are asked about, and no confit that follows it.
type Without struct {
	Pod       string `json:"pod"`
	UID       string `json:"uid"`
	Container string `json:"container"`
	// Use is directory, where the kubelet brings edits; or start, by subPath or in the environment: it has what it was
	// started with.
	Use string `json:"use"`
}

// WithoutConfit are those of pods that aren't over, in the order of the pods' names. Nobody can say what their apps
// have read.
func WithoutConfit(list []*corev1.Pod, of []pods.Object) []Without {
	all := []Without{}
	for _, pod := range list {
		if isOver(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		for name, use := range pods.Uses(pod, of) {
			switch use {
			case pods.Mounted:
				all = append(all, Without{pod.Name, string(pod.UID), name, "directory"})
			case pods.Started:
				all = append(all, Without{pod.Name, string(pod.UID), name, "start"})
			}
		}
	}
	slices.SortFunc(all, func(a, b Without) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
	})
	return all
}
