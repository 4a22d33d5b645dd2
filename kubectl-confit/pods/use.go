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
		use = max(use, useOf(mountsOf(&pod.Spec, &c), &c, o, has))
	}
	return use
}

// Uses are the strongest ways in which the containers of a pod that run as long as it does use some objects, by their names.
func Uses(pod *corev1.Pod, of []Object) map[string]Use {
	confit, found := Containers(pod), map[string]Use{}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		init := slices.ContainsFunc(pod.Spec.InitContainers, func(i corev1.Container) bool { return i.Name == c.Name })
		if init && (c.RestartPolicy == nil || *c.RestartPolicy != corev1.ContainerRestartPolicyAlways) {
			continue // it has read what there was
		}
		has := slices.ContainsFunc(confit, func(f Container) bool { return f.Name == c.Name })
		mounts := slices.DeleteFunc(mountsOf(&pod.Spec, &c), func(m Mount) bool { return m.Path == serviceAccount })
		for _, o := range of {
			found[c.Name] = max(found[c.Name], useOf(mounts, &c, o, has))
		}
	}
	return found
}

func useOf(mounts []Mount, c *corev1.Container, o Object, confit bool) (use Use) {
	for _, m := range mounts {
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
