package verdict

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
)

// Words is what a container says of a hash that it has rejected at a step, as a rollout's record has it since told; the zero time
// isn't known. It is the reason, and what the hook printed. If the container can't be asked, or has rejected something
// else since, the row's Why says so, and its state isn't Rejected. It has no keys. The answer counts only if the container runs.
func Words(pod *corev1.Pod, c *pods.Container, a Answer, hash, step string, told time.Time) Row {
	row, runs := FromAPI(pod, c)
	if !runs {
		return row
	}
	row.State, row.Since = Unknown, ""
	switch {
	case a.Status == nil:
		row.Why = pods.Join("; ", tame(a.Err), row.Why)
	case a.Status.Phase == phaseDone:
		row.State, row.Why = Starting, notUp
	case !isMeant(a.Status, hash, step, told):
		row.Why = "its confit says nothing of it any more"
	default:
		row.rejected(view{a.Status, c.Volumes})
	}
	return row
}
