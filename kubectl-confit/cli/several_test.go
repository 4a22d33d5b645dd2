package cli

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// labelled adds a pod of an app.
func (w *world) labelled(name, app string) {
	w.t.Helper()
	w.add(name, "nginx.conf")
	pod := webPod(name)
	pod.Labels = map[string]string{"app": app}
	w.Apply(pod)
}

// deployment is one whose pods have a label.
func deployment(app string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: named(app), Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}}}
}

// TestSeveral_token: what the API server mounts for the service account is nobody's configuration.
func TestSeveral_token(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"), configMap("kube-root-ca.crt", "ca.crt", "x"))
	w.add("web-0", "nginx.conf")
	pod := webPod("web-0")
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "kube-api-access-x", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}}},
		},
	}}})
	spec := &pod.Spec.Containers[0]
	spec.VolumeMounts = append(spec.VolumeMounts, corev1.VolumeMount{Name: "kube-api-access-x", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"})
	w.Apply(pod)
	if r := w.run("status", "pod/web-0", "-o", "jsonpath={.objects[*].name}"); r.code != 0 || r.stdout != "web" {
		t.Errorf("got %+v", r)
	}
	w.Apply(configMap("web", "nginx.conf", "2"))
	if r := w.run("wait", "pod/web-0", "--timeout", "500ms"); r.code != 1 || !strings.Contains(r.stderr, " accepted configmap/web; ") {
		t.Errorf("got %+v", r)
	}
	if r := w.run("status", "configmap/kube-root-ca.crt"); r.code != 1 || r.stderr != "kubectl-confit: no confit takes a key of configmap/kube-root-ca.crt in a running pod\n" {
		t.Errorf("got %+v", r)
	}
}

// podsIn are the names in an output.
func podsIn(r result) string { return strings.ReplaceAll(r.stdout, "\n", " ") }

// TestSeveral: several workloads and pods in one call stand for all their pods, and for no others.
func TestSeveral(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"), deployment("a"), deployment("b"))
	for _, name := range []string{"a", "b", "c", "d"} {
		w.labelled(name+"-0", name)
	}
	for _, verb := range []string{"status", "wait", "sync"} {
		for args, want := range map[string]string{
			"deploy/a deploy/b": "pod/a-0 pod/b-0 ", "deploy a b": "pod/a-0 pod/b-0 ", "deploy/b pod/d-0": "pod/b-0 pod/d-0 ", "deploy/a pod/a-0": "pod/a-0 ",
		} {
			if r := w.run(append([]string{verb, "-o", "name"}, strings.Fields(args)...)...); r.code != 0 || podsIn(r) != want {
				t.Errorf("%s %s: got %+v, want %s", verb, args, r, want)
			}
		}
	}
	if r := w.run("status", "deploy/a", "deploy/b", "-l", "app"); r.code != 64 {
		t.Errorf("got %+v", r)
	}
}

// TestSeveral_watch: a pod that gets the labels of one of them comes, and one that loses them goes.
func TestSeveral_watch(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"), deployment("a"), deployment("b"))
	w.labelled("a-0", "a")
	w.labelled("c-0", "c")
	s := w.start("a-0", "status", "--watch", "deploy/a", "deploy/b")
	w.labelled("c-0", "b")
	s.sees("c-0")
	interrupt(t)
	if r := s.ends(); r.code != 130 {
		t.Errorf("got %+v", r)
	}
}

// rolloutOf is Argo's, which no Go type here knows.
func rolloutOf(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte("{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a, namespace: shop}, "+text+"}"), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// TestRolloutOfArgo: it stands for its pods as a Deployment does, also if its template is another one's.
func TestRolloutOfArgo(t *testing.T) {
	for text, want := range map[string]result{
		"spec: {selector: {matchLabels: {app: a}}}":                                            {0, "pod/a-0\n", ""},
		"spec: {workloadRef: {kind: Deployment, name: a}}, status: {selector: 'app=a,app!=b'}": {0, "pod/a-0\n", ""},
		"spec: {workloadRef: {kind: Deployment, name: a}}":                                     {1, "", "kubectl-confit: cannot read rollout/a: it has no selector\n"},
	} {
		w := newWorld(t, configMap("web", "nginx.conf", "1"), rolloutOf(t, text))
		w.labelled("a-0", "a")
		w.labelled("b-0", "b")
		for _, line := range []string{"status rollout/a", "wait ro/a", "sync rollouts.argoproj.io/a", "status rollout a"} {
			r := w.run(append(strings.Fields(line), "-o", "name")...)
			if r.code != want.code || r.stdout != want.stdout || want.stderr != "" && r.stderr != want.stderr {
				t.Errorf("%s: got %+v, want %+v", line, r, want)
			}
		}
	}
}
