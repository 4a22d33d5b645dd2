package check

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestLate: a line for each container that is asked, of each template, a sidecar among them; none for others, nor where
// the grace period is longer.
func TestLate(t *testing.T) {
	late := func(name, template string, grace int64) *corev1.Pod {
		pod := follower(t, name, template, true)
		pod.Spec.TerminationGracePeriodSeconds = &grace
		side := *pod.Spec.Containers[0].DeepCopy()
		side.Name, side.Command, side.RestartPolicy = "side", []string{"confit", "--stop-timeout=5s", "--", "side"}, new(corev1.ContainerRestartPolicyAlways)
		pod.Spec.InitContainers = []corev1.Container{side}
		return pod
	}
	list := []*corev1.Pod{late("a", "one", 20), late("b", "one", 20), late("c", "two", 26), late("d", "three", 2)}
	const (
		by      = "gets the TERM of a stop after 25s (--stop-timeout 30s, the default): KILL comes first; write terminationGracePeriodSeconds: 30 or more"
		ofSide  = "gets the TERM of a stop after 2.5s (--stop-timeout 5s): KILL comes first; write terminationGracePeriodSeconds: 5 or more"
		script  = ", and a script at the entrypoint "
		seconds = "terminationGracePeriodSeconds is "
	)
	want := []string{
		"container web of pod a and 1 more: " + seconds + "20" + script + by + ", or CONFIT_STOP_TIMEOUT 20s or less",
		"container side of pod d: " + seconds + "2" + script + ofSide + ", or --stop-timeout 2s or less",
		"container web of pod d: " + seconds + "2" + script + by + ", or CONFIT_STOP_TIMEOUT 2s or less",
	}
	if got := Late(list, Given{webMap: {}}); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := Late(list, Given{webSecret: {}}); got != nil {
		t.Errorf("nobody is asked about %q", got)
	}
}
