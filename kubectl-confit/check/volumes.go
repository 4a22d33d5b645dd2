package check

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// fate is what becomes of a volume in a copy.
type fate int

const (
	kept  fate = iota // as it is in the pod
	empty             // an empty directory in its place
	left              // nothing: a copy has what the image has there
)

// volumes are those of a pod, as a copy has them.
type volumes struct {
	list  []corev1.Volume
	fates map[string]fate   // by name
	kinds map[string]string // of those that aren't as they were
}

func volumesOf(pod *corev1.Pod) *volumes {
	v := &volumes{fates: map[string]fate{}, kinds: map[string]string{}}
	for i := range pod.Spec.Volumes {
		was := &pod.Spec.Volumes[i]
		volume := corev1.Volume{Name: was.Name}
		volume.VolumeSource, v.fates[was.Name], v.kinds[was.Name] = inCopy(&was.VolumeSource)
		if v.fates[was.Name] != left {
			v.list = append(v.list, volume)
		}
	}
	return v
}

// inCopy decides for each kind of volume.
//
//   - What the API has, anybody may mount who may create pods: ConfigMaps, Secrets, the pod's own fields, images.
//   - An emptyDir is empty in each new pod.
//   - A token or certificate of the service account would let a validator act as the app.
//   - The node's files and sockets are another node's, and may be a file where a directory in its place would stop the pod.
//   - All else is data, somebody's claim, a network's or a driver's: a copy must not touch it, and could wait for it for ever.
func inCopy(s *corev1.VolumeSource) (source corev1.VolumeSource, f fate, kind string) {
	switch {
	case s.ConfigMap != nil, s.Secret != nil, s.DownwardAPI != nil, s.Image != nil:
		return *s.DeepCopy(), kept, ""
	case s.EmptyDir != nil:
		return *s.DeepCopy(), kept, "emptyDir, which something else fills in the pod"
	case s.Projected != nil && slices.ContainsFunc(s.Projected.Sources, identifies):
		return corev1.VolumeSource{}, left, "projected volume with a token or certificate of the pod"
	case s.Projected != nil:
		return *s.DeepCopy(), kept, ""
	case s.HostPath != nil:
		return corev1.VolumeSource{}, left, "hostPath"
	}
	return emptyDir("", stateLimit), empty, kindOf(s)
}

// identifies says that a source of a projected volume shows who the pod is, or is of a kind that nobody here knows.
func identifies(s corev1.VolumeProjection) bool {
	return s.ConfigMap == nil && s.Secret == nil && s.DownwardAPI == nil && s.ClusterTrustBundle == nil
}

// kindOf is the kind of a volume as a manifest writes it.
func kindOf(s *corev1.VolumeSource) string {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return name
		}
	}
	return "volume of a kind that is unknown here"
}

// lacks are the volumes below the directory of volumes that a copy doesn't have as the pod has them: confit would miss keys
// there, and refuse what is well.
func (v *volumes) lacks(spec *corev1.Container, dir string) (errs []error) {
	for _, m := range spec.VolumeMounts {
		p := path.Clean(m.MountPath)
		if kind := v.kinds[m.Name]; kind != "" && (p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")) {
			errs = append(errs, fmt.Errorf("the volume at %q is a %s, and no copy has that: try it in a running pod by --in-place", p, kind))
		}
	}
	return errs
}

// mounts are those that a copy has of a container's. A directory in the place of a subPath could stand where a file was.
func (v *volumes) mounts(c *corev1.Container) (list []corev1.VolumeMount) {
	for _, m := range c.VolumeMounts {
		f, known := v.fates[m.Name]
		if !known || f == left || (f == empty && (m.SubPath != "" || m.SubPathExpr != "")) {
			continue
		}
		m.MountPropagation = nil
		list = append(list, m)
	}
	return list
}

// used are the volumes that somebody mounts, so that a copy doesn't wait for those of others.
func (v *volumes) used(by []corev1.Container) (list []corev1.Volume) {
	for _, volume := range v.list {
		mounts := func(m corev1.VolumeMount) bool { return m.Name == volume.Name }
		if slices.ContainsFunc(by, func(c corev1.Container) bool { return slices.ContainsFunc(c.VolumeMounts, mounts) }) {
			list = append(list, volume)
		}
	}
	return list
}

func inMemory(name, limit string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: emptyDir(corev1.StorageMediumMemory, limit)}
}

func emptyDir(medium corev1.StorageMedium, limit string) corev1.VolumeSource {
	return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: medium, SizeLimit: new(resource.MustParse(limit))}}
}
