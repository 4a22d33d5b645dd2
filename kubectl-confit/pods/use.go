package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Use is how a pod uses an object.
type Use int

// Ways to use an object, the strongest last.
const (
	Unused   Use = iota
	Started      // only by subPath, or in the environment: what a container has, it has since it was started
	Mounted      // mounted where no confit is
	Followed     // mounted in a container with confit
)

// UseOf is the strongest way in which a pod uses an object.
func UseOf(pod *corev1.Pod, o Object) (use Use) {
	confit := Containers(pod)
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		has := slices.ContainsFunc(confit, func(f Container) bool { return f.Name == c.Name })
		use = max(use, useOf(&pod.Spec, &c, o, has))
	}
	return use
}

func useOf(pod *corev1.PodSpec, c *corev1.Container, o Object, confit bool) (use Use) {
	for _, m := range mountsOf(pod, c) {
		switch {
		case !slices.ContainsFunc(m.Sources, func(s Source) bool { return s.Object == o }):
		case m.SubPath:
			use = max(use, Started)
		case confit:
			use = max(use, Followed)
		default:
			use = max(use, Mounted)
		}
	}
	if inEnvironment(c, o) {
		use = max(use, Started)
	}
	return use
}

func inEnvironment(c *corev1.Container, o Object) bool {
	for _, e := range c.EnvFrom {
		if f := e.ConfigMapRef; f != nil && o == (Object{ConfigMap, f.Name}) {
			return true
		}
		if f := e.SecretRef; f != nil && o == (Object{Secret, f.Name}) {
			return true
		}
	}
	for _, e := range c.Env {
		from := ptr.Deref(e.ValueFrom, corev1.EnvVarSource{})
		if f := from.ConfigMapKeyRef; f != nil && o == (Object{ConfigMap, f.Name}) {
			return true
		}
		if f := from.SecretKeyRef; f != nil && o == (Object{Secret, f.Name}) {
			return true
		}
	}
	return false
}
