package check

import (
	"context"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
)

// hopeless are reasons for which a container waits and which time doesn't fix.
var hopeless = []string{
	"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "CreateContainerConfigError", "CreateContainerError", "RunContainerError",
	"CrashLoopBackOff",
}

// await looks until the container is in a wanted state. The error says why it never will be, or what it waited for, in the
// API's own words.
func (c *copied) await(ctx context.Context, wanted func(corev1.ContainerState) bool) (corev1.ContainerState, error) {
	waits := ""
	for {
		pod, err := c.Client.Core().Pods(c.Client.Namespace).Get(ctx, c.name, metav1.GetOptions{})
		if err == nil {
			state := corev1.ContainerState{}
			if s := pods.StatusOf(pod, c.container); s != nil {
				state = s.State
			}
			if wanted(state) {
				return state, nil
			}
			text, never := waitsFor(pod)
			if never {
				return state, fmt.Errorf("the copy can't run: %s", text)
			}
			if text != waits && text != "" {
				c.Say(text)
			}
			waits = text
		} else if ctx.Err() == nil && (cluster.IsForbidden(err) || cluster.IsNotFound(err)) {
			return corev1.ContainerState{}, cluster.Problem("read", "the copy, pod "+c.name, err)
		}
		if !pause(ctx, pollEvery) {
			return corev1.ContainerState{}, c.late(ctx, waits)
		}
	}
}

// late is the error of a wait that was ended.
func (c *copied) late(ctx context.Context, waits string) error {
	err := context.Cause(ctx)
	if err != errSlow {
		return err
	}
	for _, text := range []string{waits, c.warning()} {
		if text != "" {
			err = fmt.Errorf("%w; %s", err, text)
		}
	}
	return err
}

// warning is the last one that there is about the copy, such as a volume that can't be mounted; "" without the right to
// read events.
func (c *copied) warning() string {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	list, err := c.Client.Core().Events(c.Client.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + c.name + ",type=Warning"})
	if err != nil || len(list.Items) == 0 {
		return ""
	}
	last := slices.MaxFunc(list.Items, func(a, b corev1.Event) int { return a.LastTimestamp.Compare(b.LastTimestamp.Time) })
	return last.Reason + ": " + last.Message
}

// waitsFor is what a pod waits for, in the API's words, and whether that is for ever.
func waitsFor(pod *corev1.Pod) (text string, never bool) {
	if pod.Status.Phase == corev1.PodFailed {
		return pods.Join(": ", pod.Status.Reason, pod.Status.Message), true
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range list {
			if w := c.State.Waiting; w != nil && w.Reason != "PodInitializing" {
				return fmt.Sprintf("container %q waits: %s", c.Name, pods.Join(": ", w.Reason, w.Message)), slices.Contains(hopeless, w.Reason)
			}
			if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
				return fmt.Sprintf("container %q ended with exit code %d: %s", c.Name, t.ExitCode, pods.Join(": ", t.Reason, t.Message)), true
			}
		}
	}
	return pods.Unscheduled(pod), false
}

// result is the outcome of a copy that has ended.
func (c *copied) result(ctx context.Context, t *corev1.ContainerStateTerminated) Outcome {
	log, err := c.log(ctx)
	o := ended(int(t.ExitCode), log)
	switch {
	case t.Reason == "OOMKilled":
		o.Verdict, o.Why = Untried, "it was killed for want of memory: OOMKilled"
	case o.Verdict == Untried && t.Message != "":
		o.Why = pods.Join(": ", t.Reason, t.Message)
	}
	if err != nil {
		o.Why = cluster.Problem("read", "what the copy printed, the log of pod "+c.name, err).Error()
	}
	return o
}

// log is the end of what the container has printed.
func (c *copied) log(ctx context.Context) ([]byte, error) {
	stream, err := c.Client.Core().Pods(c.Client.Namespace).GetLogs(c.name, &corev1.PodLogOptions{
		Container: c.container, TailLines: new(int64(mostLines)), LimitBytes: new(int64(mostBytes)),
	}).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(io.LimitReader(stream, mostBytes))
}
