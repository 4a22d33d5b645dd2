package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Restarts reports whether the kubelet starts a container again that has ended with a code, as long as its pod isn't
// over.
func Restarts(pod *corev1.Pod, name string, code int32) bool {
	policy := string(pod.Spec.RestartPolicy)
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if c.Name != name {
			continue
		}
		meets := func(r corev1.ContainerRestartRule) bool { return isAbout(r.ExitCodes, code) }
		if slices.ContainsFunc(c.RestartPolicyRules, meets) {
			return true
		}
		if c.RestartPolicy != nil {
			policy = string(*c.RestartPolicy)
		}
	}
	switch policy {
	case string(corev1.RestartPolicyNever):
		return false
	case string(corev1.RestartPolicyOnFailure):
		return code != 0
	}
	return true
}

// Replaced reports that a pod has to run for ever, so that another one takes its place when it is over.
func Replaced(pod *corev1.Pod) bool {
	return pod.Spec.RestartPolicy == corev1.RestartPolicyAlways || pod.Spec.RestartPolicy == ""
}

// isAbout reports whether a rule, all of which restart something, is about a code.
func isAbout(rule *corev1.ContainerRestartRuleOnExitCodes, code int32) bool {
	return rule != nil && slices.Contains(rule.Values, code) == (rule.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn)
}
