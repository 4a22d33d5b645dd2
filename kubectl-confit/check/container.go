package check

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// container is what a copy has of one: what it runs its caller adds.
func (v *volumes) container(pod *corev1.Pod, spec *corev1.Container) corev1.Container {
	c := spec.DeepCopy()
	c.Resources.Claims = nil
	return corev1.Container{
		Name: c.Name, Image: c.Image, ImagePullPolicy: c.ImagePullPolicy, WorkingDir: c.WorkingDir,
		Env: env(pod, c.Env), EnvFrom: c.EnvFrom, Resources: c.Resources, SecurityContext: c.SecurityContext, VolumeMounts: v.mounts(c),
	}
}

// env is an environment whose variables out of the pod's metadata have the pod's own values, as the copy has other metadata.
func env(pod *corev1.Pod, list []corev1.EnvVar) []corev1.EnvVar {
	for i, e := range list {
		switch {
		case e.ValueFrom == nil:
		case e.ValueFrom.FieldRef != nil:
			if value, own := field(pod, e.ValueFrom.FieldRef.FieldPath); own {
				list[i] = corev1.EnvVar{Name: e.Name, Value: strings.ReplaceAll(value, "$", "$$")} // the kubelet expands a value, not a field
			}
		case e.ValueFrom.ResourceFieldRef != nil:
			e.ValueFrom.ResourceFieldRef.ContainerName = "" // its own: the others aren't there
		}
	}
	return list
}

// field is a field of a pod that a copy has otherwise. All others the copy has itself.
func field(pod *corev1.Pod, path string) (value string, own bool) {
	if name, key, ok := strings.Cut(strings.TrimSuffix(path, "']"), "['"); ok {
		switch name {
		case "metadata.labels":
			return pod.Labels[key], true
		case "metadata.annotations":
			return pod.Annotations[key], true
		}
	}
	switch path {
	case "metadata.name":
		return pod.Name, true
	case "metadata.uid":
		return string(pod.UID), true
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, true
	}
	return "", false
}
