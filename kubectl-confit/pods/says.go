package pods

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"confit/status"
)

// StatusOf is what the API says of a container; nil: nothing yet.
func StatusOf(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	all := slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses)
	if i := slices.IndexFunc(all, func(s corev1.ContainerStatus) bool { return s.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Unscheduled is why no node takes a pod, in the API's words; "": it doesn't say that.
func Unscheduled(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return Join(": ", c.Reason, c.Message)
		}
	}
	return ""
}

// Join joins those texts that aren't empty.
func Join(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), by)
}

// Line is a text on one line, which can't command a terminal.
func Line(text string) string { return status.Clean(strings.Join(strings.Fields(text), " ")) }
