package check

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/grace"
)

// Late are lines about the containers that are asked: each whose pod's grace period is over before confit ends a script
// at the entrypoint, which a stop waits for.
func Late(list []*corev1.Pod, given Given) (notes []string) {
	for _, t := range Trials(list, given) {
		for _, spec := range slices.Concat(t.Pod.Spec.InitContainers, t.Pod.Spec.Containers) {
			why := grace.Late(t.Pod.Spec.TerminationGracePeriodSeconds, &spec)
			if spec.Name != t.Container.Name || why == "" {
				continue
			}
			as := t.Pod.Name
			if t.Pods > 1 {
				as = fmt.Sprintf("%s and %d more", as, t.Pods-1)
			}
			notes = append(notes, fmt.Sprintf("container %s of pod %s: %s", spec.Name, as, why))
		}
	}
	return notes
}
