package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestSidecar holds that the patch of examples/monitoring fits the Deployment that its page names: the sidecar has confit's state
// directory, and whoever looks for its port finds it.
func TestSidecar(t *testing.T) {
	pod := deployment(t, example(t, "nginx/kubernetes.yaml")).Spec.Template
	patch := deployment(t, "kind: Deployment\n"+example(t, "monitoring/sidecar.yaml"))
	pod.Spec.Containers = append(pod.Spec.Containers, patch.Spec.Template.Spec.Containers...) // as kubectl patch does with new names
	n := slices.IndexFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == "confit-metrics" })
	if n < 0 || len(pod.Spec.Containers) != 2 {
		t.Fatalf("the pod has the containers %+v", pod.Spec.Containers)
	}
	sidecar := pod.Spec.Containers[n]
	if state := mountAt(pod.Spec.Containers[1-n], "/run/confit"); state == "" || state != mountAt(sidecar, sidecar.Args[2]) {
		t.Errorf("the sidecar mounts %+v, and confit has its state in %q", sidecar.VolumeMounts, state)
	}
	if pod.Labels["app"] == "" {
		t.Error("the pod has no label app, by which the alerts know the replicas of an app")
	}
	for _, finder := range []string{"podmonitor.yaml", "scrape.yml"} {
		if text := example(t, "monitoring/"+finder); !strings.Contains(text, ": "+sidecar.Ports[0].Name) {
			t.Errorf("%s doesn't look for the port %q", finder, sidecar.Ports[0].Name)
		}
	}
}

func example(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// deployment is the document of that kind.
func deployment(t *testing.T, manifest string) (d appsv1.Deployment) {
	t.Helper()
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		if strings.Contains(document, "kind: Deployment\n") {
			if err := yaml.UnmarshalStrict([]byte(document), &d); err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	t.Fatal("the manifest has no Deployment")
	return d
}

// mountAt is the volume that a container has there; "": none.
func mountAt(c corev1.Container, path string) string {
	for _, m := range c.VolumeMounts {
		if m.MountPath == path {
			return m.Name
		}
	}
	return ""
}
