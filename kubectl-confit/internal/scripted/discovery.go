package scripted

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// resource is one that the server has. All are in namespaces.
type resource struct {
	group, version, name, kind, short string
}

var resources = []resource{
	{"", "v1", "configmaps", "ConfigMap", "cm"},
	{"", "v1", "secrets", "Secret", ""},
	{"", "v1", "pods", "Pod", "po"},
	{"", "v1", "services", "Service", "svc"},
	{"", "v1", "events", "Event", "ev"},
	{"apps", "v1", "deployments", "Deployment", "deploy"},
	{"apps", "v1", "statefulsets", "StatefulSet", "sts"},
	{"apps", "v1", "daemonsets", "DaemonSet", "ds"},
	{"apps", "v1", "replicasets", "ReplicaSet", "rs"},
	{"batch", "v1", "jobs", "Job", ""},
	{"batch", "v1", "cronjobs", "CronJob", "cj"},
	{"argoproj.io", "v1alpha1", "rollouts", "Rollout", "ro"},
	{"coordination.k8s.io", "v1", "leases", "Lease", ""},
}

func find(group, version, name string) (resource, bool) {
	for _, r := range resources {
		if r.group == group && r.version == version && r.name == name {
			return r, true
		}
	}
	return resource{}, false
}

func (r resource) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.kind}
}

// discover answers what the server has; nil for another path.
func discover(path string) runtime.Object {
	switch path {
	case "/api":
		return &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}}
	case "/apis":
		return groups()
	case "/api/v1":
		return inGroup("", "v1")
	}
	parts := strings.Split(path, "/")
	if len(parts) == 4 && parts[1] == "apis" {
		return inGroup(parts[2], parts[3])
	}
	return nil
}

func groups() runtime.Object {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	seen := map[string]bool{"": true}
	for _, r := range resources {
		if !seen[r.group] {
			seen[r.group] = true
			v := metav1.GroupVersionForDiscovery{GroupVersion: r.group + "/" + r.version, Version: r.version}
			list.Groups = append(list.Groups, metav1.APIGroup{Name: r.group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
		}
	}
	return list
}

func inGroup(group, version string) runtime.Object {
	gv := schema.GroupVersion{Group: group, Version: version}
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	for _, r := range resources {
		if r.group == group && r.version == version {
			a := metav1.APIResource{Name: r.name, SingularName: strings.ToLower(r.kind), Namespaced: true, Kind: r.kind,
				Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}}
			if r.short != "" {
				a.ShortNames = []string{r.short}
			}
			list.APIResources = append(list.APIResources, a)
		}
	}
	return list
}

var serverVersion = version.Info{Major: "1", Minor: "36", GitVersion: "v1.36.3"}
