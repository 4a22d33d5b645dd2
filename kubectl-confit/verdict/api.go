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

// crashLoop is why the kubelet has a container wait that ends again and again.
const crashLoop = "CrashLoopBackOff"

// FromAPI is what the API alone says of a container, and whether it runs, so that it can be asked. Since is then when it
// was started.
func FromAPI(pod *corev1.Pod, c *pods.Container) (row Row, runs bool) {
	row = Row{Pod: pod.Name, UID: string(pod.UID), Node: pod.Spec.NodeName, Container: c.Name, State: Starting, Keys: []Key{}}
	s := pods.StatusOf(pod, c.Name)
	switch {
	case pod.DeletionTimestamp != nil:
		row.State, row.Why = Ended, "it is being deleted"
	case s == nil && isOver(pod):
		row.over(pod)
	case s == nil:
		row.Why = pods.Join(": ", "it is pending", pods.Line(pods.Unscheduled(pod)))
	case s.State.Running != nil && !isOver(pod):
		row.State, row.Since, row.Why = Unknown, status.At(s.State.Running.StartedAt.Time), lastEnd(s)
		return row, true
	default:
		row.down(pod, s)
	}
	return row, false
}

// isOver reports that no container of a pod runs again.
func isOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// over tells a pod that is.
func (r *Row) over(pod *corev1.Pod) {
	r.State, r.Why = Ended, pods.Line(pods.Join(": ", string(pod.Status.Phase), pod.Status.Reason, pod.Status.Message))
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

// down tells a container that doesn't run. An end with 78 is a rejection. But a pod that is always restarted
// and is over was evicted, and its replacement tells.
func (r *Row) down(pod *corev1.Pod, s *corev1.ContainerStatus) {
	if w := s.State.Waiting; w != nil {
		r.Why = pods.Line(pods.Join(": ", w.Reason, w.Message))
	}
	e := ended(s)
	again := e == nil || pods.Restarts(pod, s.Name, e.ExitCode)
	r.last = isOver(pod) || !again
	r.bad = s.State.Waiting != nil && s.State.Waiting.Reason == crashLoop && e != nil && e.ExitCode != 0
	switch {
	case e != nil && e.ExitCode == exitRejected && (!isOver(pod) || !pods.Replaced(pod)):
		r.State, r.Step, r.Since, r.Attempts = Rejected, "start", status.At(e.FinishedAt.Time), int(s.RestartCount)+1
		first, rest, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
		r.Why, r.Output = pods.Join(": ", "start", pods.Line(first)), lines(rest)
	case isOver(pod):
		r.over(pod)
	case e == nil:
	case s.State.Terminated != nil && !again:
		r.State, r.Why = Ended, fmt.Sprintf("it has ended with exit code %d, and isn't started again", e.ExitCode)
	default:
		r.Why = pods.Join("; ", r.Why, lastEnd(s))
	}
}
