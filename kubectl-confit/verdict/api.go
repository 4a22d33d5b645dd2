package verdict

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// exitRejected is confit's exit code when there is nothing that it would start on.
const exitRejected = 78

// FromAPI is what the API alone says of a container, and whether it runs, so that it can be asked. Since is then when it
// was started.
func FromAPI(pod *corev1.Pod, c *pods.Container) (row Row, runs bool) {
	row = Row{Pod: pod.Name, UID: string(pod.UID), Node: pod.Spec.NodeName, Container: c.Name, State: Starting, Keys: []Key{}}
	s := pods.StatusOf(pod, c.Name)
	switch {
	case pod.DeletionTimestamp != nil:
		row.State, row.Why = Ended, "it is being deleted"
	case pod.Status.Phase == corev1.PodSucceeded, pod.Status.Phase == corev1.PodFailed:
		row.State, row.Why = Ended, pods.Line(pods.Join(": ", string(pod.Status.Phase), pod.Status.Reason, pod.Status.Message))
	case s == nil:
		row.Why = pods.Join(": ", "it is pending", pods.Line(pods.Unscheduled(pod)))
	case s.State.Running != nil:
		row.State, row.Since, row.Why = Unknown, status.At(s.State.Running.StartedAt.Time), lastEnd(s)
		return row, true
	default:
		row.down(s)
	}
	return row, false
}

// ended is how a container ended last; nil if it never did.
func ended(s *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if s.State.Terminated != nil {
		return s.State.Terminated
	}
	return s.LastTerminationState.Terminated
}

func lastEnd(s *corev1.ContainerStatus) string {
	e := ended(s)
	if e == nil {
		return ""
	}
	times := s.RestartCount
	if s.State.Running == nil { // the end of this run isn't among them yet
		times++
	}
	if times < 2 {
		return fmt.Sprintf("it has ended once, with exit code %d", e.ExitCode)
	}
	return fmt.Sprintf("it has ended %d times, the last time with exit code %d", times, e.ExitCode)
}

// down tells a container that doesn't run.
func (r *Row) down(s *corev1.ContainerStatus) {
	if w := s.State.Waiting; w != nil {
		r.Why = pods.Line(pods.Join(": ", w.Reason, w.Message))
	}
	e := ended(s)
	switch {
	case e == nil:
	case e.ExitCode == exitRejected:
		r.State, r.Step, r.Since, r.Attempts = Rejected, "start", status.At(e.FinishedAt.Time), int(s.RestartCount)+1
		first, rest, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
		r.Why, r.Output = pods.Join(": ", "start", pods.Line(first)), lines(rest)
	case s.State.Terminated != nil && e.ExitCode == 0:
		r.State, r.Why = Ended, "it has ended"
	default:
		r.Why = pods.Join("; ", r.Why, lastEnd(s))
	}
}
