package pods

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
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
func (c *Container) Gated() bool { return len(c.gates()) > 0 }

// gates are the commands of gate hooks that the spec has.
func (c *Container) gates() (commands []string) {
	texts := []string{c.env["CONFIT_LINES"]}
	set := flagSet()
	if set.Parse(c.Expand(c.Flags)) == nil {
		lines, _ := set.GetStringArray("lines") // it is one
		texts = append(texts, lines...)
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "gate" {
				commands = append(commands, line)
			}
		}
	}
	for _, command := range []string{c.env["CONFIT_GATE"], last(set, "gate", "")} {
		if command != "" {
			commands = append(commands, command)
		}
	}
	return commands
}

var leaseFlag = regexp.MustCompile(`--lease[ =](\S+)`)

// Lease is the one that holds the rollout of the container's configurations, as confitctl gate finds it; "" if the spec doesn't say.
func (c *Container) Lease() string {
	for _, command := range c.gates() {
		if flag := leaseFlag.FindStringSubmatch(command); flag != nil {
			return flag[1]
		}
	}
	return c.env[LeaseVariable]
}

// LeaseVariable is that of confitctl's --lease.
const LeaseVariable = "CONFITCTL_LEASE"

// Leases are those that the containers of a pod or template name, whether confit is in the spec or in an image.
func Leases(pod *corev1.Pod) []string {
	all := sets.Set[string]{}
	for _, spec := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		c, _ := read(pod, &spec)
		all.Insert(c.Lease())
	}
	return sets.List(all.Delete(""))
}

// IsRevision reports that a rollout may know a pod's image and template by a name: that of a label, which the downward API has
// given to the gate, or one that the spec has.
func (c *Container) IsRevision(pod *corev1.Pod, name string) bool {
	if own := c.env["CONFITCTL_REVISION"]; own != "" {
		return own == name
	}
	return slices.Contains(slices.Collect(maps.Values(pod.Labels)), name)
}
