package pods

import (
	"maps"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Mount is a volume with keys of ConfigMaps or Secrets, as a container has it.
type Mount struct {
	Volume  string // its name in the pod
	Path    string // the directory in the container, clean
	SubPath bool   // mounted by subPath or subPathExpr: the kubelet never changes it
	Sources []Source
	Others  []string // paths in it that are of no object, such as a token's
}

// Source is an object that a volume has keys of.
type Source struct {
	Object
	Items    []corev1.KeyToPath // nil: each key, under its own name
	Optional bool
}

// Missing is why the kubelet doesn't bring a volume as the API has it.
type Missing struct {
	Object
	Key string // "": the object
}

// Lay lays out a volume as the kubelet does: path in the volume → what the key holds, such as its hash. held has the
// objects; one that isn't there is missing, and so is a key of items. The kubelet then leaves the volume as it is, unless the
// source is optional.
func Lay[T any](m Mount, held map[Object]map[string]T) (files map[string]T, missing []Missing) {
	files = map[string]T{}
	for _, s := range m.Sources {
		keys, there := held[s.Object]
		if !there {
			if !s.Optional {
				missing = append(missing, Missing{s.Object, ""})
			}
			continue
		}
		for _, item := range s.items(slices.Collect(maps.Keys(keys))) {
			value, has := keys[item.Key]
			switch {
			case has:
				files[path.Clean(item.Path)] = value
			case !s.Optional:
				missing = append(missing, Missing{s.Object, item.Key})
			}
		}
	}
	return files, missing
}

// items are the source's own, else one for each key.
func (s Source) items(keys []string) []corev1.KeyToPath {
	if len(s.Items) > 0 {
		return s.Items
	}
	all := make([]corev1.KeyToPath, len(keys))
	for i, key := range keys {
		all[i] = corev1.KeyToPath{Key: key, Path: key}
	}
	return all
}

// sourcesOf are the objects of a volume.
func sourcesOf(v *corev1.Volume) (sources []Source, others []string) {
	switch {
	case v.ConfigMap != nil:
		return []Source{{Object{ConfigMap, v.ConfigMap.Name}, v.ConfigMap.Items, ptr.Deref(v.ConfigMap.Optional, false)}}, nil
	case v.Secret != nil:
		return []Source{{Object{Secret, v.Secret.SecretName}, v.Secret.Items, ptr.Deref(v.Secret.Optional, false)}}, nil
	case v.Projected == nil:
		return nil, nil
	}
	for _, p := range v.Projected.Sources {
		switch {
		case p.ConfigMap != nil:
			sources = append(sources, Source{Object{ConfigMap, p.ConfigMap.Name}, p.ConfigMap.Items, ptr.Deref(p.ConfigMap.Optional, false)})
		case p.Secret != nil:
			sources = append(sources, Source{Object{Secret, p.Secret.Name}, p.Secret.Items, ptr.Deref(p.Secret.Optional, false)})
		default:
			others = append(others, pathsOf(&p)...)
		}
	}
	return sources, others
}

// pathsOf are the files of a source that is no object.
func pathsOf(p *corev1.VolumeProjection) (paths []string) {
	switch {
	case p.ServiceAccountToken != nil:
		paths = []string{p.ServiceAccountToken.Path}
	case p.ClusterTrustBundle != nil:
		paths = []string{p.ClusterTrustBundle.Path}
	case p.PodCertificate != nil:
		c := p.PodCertificate
		paths = []string{c.CredentialBundlePath, c.KeyPath, c.CertificateChainPath}
	case p.DownwardAPI != nil:
		for _, item := range p.DownwardAPI.Items {
			paths = append(paths, item.Path)
		}
	}
	for i := range paths {
		paths[i] = path.Clean(paths[i])
	}
	return paths
}

// mountsOf are the mounts of a container that hold keys.
func mountsOf(pod *corev1.PodSpec, c *corev1.Container) (mounts []Mount) {
	for _, m := range c.VolumeMounts {
		for i := range pod.Volumes {
			v := &pod.Volumes[i]
			if v.Name != m.Name {
				continue
			}
			if sources, others := sourcesOf(v); len(sources) > 0 {
				mounts = append(mounts, Mount{v.Name, path.Clean(m.MountPath), m.SubPath != "" || m.SubPathExpr != "", sources, others})
			}
		}
	}
	return mounts
}
