package pods

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Template names what a pod was made of: pods of one template have the same name. A pod without a controller is its own.
func Template(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "pod " + string(pod.UID)
	}
	return string(owner.UID) + " " + pod.Labels["controller-revision-hash"]
}

// Gated says that the spec has a gate hook: by a flag, by CONFIT_GATE, or by a line of CONFIT_LINES or --lines. A gate that a
// links file has isn't seen.
func (c *Container) Gated() bool {
	if c.env["CONFIT_GATE"] != "" || hasGate(c.env["CONFIT_LINES"]) {
		return true
	}
	set := flagSet()
	if set.Parse(c.Expand(c.Flags)) != nil {
		return false
	}
	lines, _ := set.GetStringArray("lines") // it is one
	return last(set, "gate", "") != "" || hasGate(strings.Join(lines, "\n"))
}

func hasGate(lines string) bool {
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "gate" {
			return true
		}
	}
	return false
}
