package verdict

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// Words is what a container says of a configuration that it has rejected at a step, as a rollout's record has it since told; the
// zero time isn't known. It is the reason, and what the hook printed. If the container can't be asked, or has rejected something
// else since, the row's Why says so, and its state isn't Rejected. It has no keys. The answer counts only if the container runs.
func Words(pod *corev1.Pod, c *pods.Container, a Answer, step string, told time.Time) Row {
	row, runs := FromAPI(pod, c)
	if !runs {
		return row
	}
	started := row.Since
	row.State, row.Since = Unknown, ""
	switch {
	case a.Status == nil:
		row.Why = pods.Join("; ", tame(a.Err), row.Why)
	case isStale(a.Status, started):
		row.State, row.Why = Starting, "confit has not come up yet"
	case a.Status.Rejection == nil || !isMeant(a.Status.Rejection, step, told):
		row.Why = "its confit says nothing of it any more"
	default:
		row.rejected(view{a.Status, c.Volumes})
	}
	return row
}

// skew is by how much the clocks of a node and of the API server may differ.
const skew = time.Minute

// isMeant reports that a container's last rejection is the one that a record has. The record names a configuration by another hash
// than the status, that of what all replicas share. But a rejection is told at once, so the last one before is meant.
func isMeant(r *status.Rejection, step string, told time.Time) bool {
	at, err := time.Parse(time.RFC3339, string(r.At))
	return r.Step == step && (err != nil || told.IsZero() || !at.After(told.Add(skew)))
}
