package check

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/pods"
)

var update = flag.Bool("update", false, "write anew the copies that are wanted")

// readPod reads the pod of a file, or of a text.
func readPod(t *testing.T, text string) *corev1.Pod {
	t.Helper()
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	return &pod
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// first is the first container with confit.
func first(t *testing.T, pod *corev1.Pod) *pods.Container {
	t.Helper()
	list := pods.Containers(pod)
	if len(list) == 0 {
		t.Fatal("no container has confit")
	}
	return &list[0]
}

var options = Options{Name: "confit-check-1", Seconds: 120}

// TestCopies: what becomes of whole pods.
func TestCopies(t *testing.T) {
	for _, name := range []string{"image", "injected", "locked"} {
		t.Run(name, func(t *testing.T) {
			pod := readPod(t, readFile(t, filepath.Join("testdata/copies", name+".yaml")))
			before := pod.DeepCopy()
			copied, err := Copy(pod, first(t, pod), options)
			if err != nil {
				t.Fatal(err)
			}
			got, err := yaml.Marshal(copied)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata/copies", name+".want.yaml")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := readFile(t, path); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if after, was := marshal(t, pod), marshal(t, before); after != was {
				t.Errorf("the pod was changed:\n%s\nit was\n%s", after, was)
			}
		})
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// podWith is a pod with confit that has one more volume, at a path.
func podWith(t *testing.T, volume, path string) *corev1.Pod {
	t.Helper()
	return readPod(t, strings.NewReplacer("VOLUME", volume, "PATH", path).Replace(`
metadata: {name: web, namespace: shop, uid: "1"}
spec:
  containers:
  - name: web
    image: web
    command: [confit, --, web]
    volumeMounts: [{name: web, mountPath: /confit/web}, {name: more, mountPath: PATH}]
  volumes: [{name: web, configMap: {name: web}}, {name: more, VOLUME}]`))
}

// TestLacks: what no copy has isn't left out where confit would miss it.
func TestLacks(t *testing.T) {
	for volume, kind := range map[string]string{
		"emptyDir: {}":                                                     "emptyDir, which something else fills in the pod",
		"hostPath: {path: /x}":                                             "hostPath",
		"csi: {driver: secrets-store.csi.k8s.io}":                          "csi",
		"persistentVolumeClaim: {claimName: x}":                            "persistentVolumeClaim",
		"ephemeral: {volumeClaimTemplate: {spec: {accessModes: [x]}}}":     "ephemeral",
		"projected: {sources: [{serviceAccountToken: {path: token}}]}":     "projected volume with a token or certificate of the pod",
		"projected: {sources: [{podCertificate: {signerName: x}}]}":        "projected volume with a token or certificate of the pod",
		"configMap: {name: more}":                                          "",
		"secret: {secretName: more}":                                       "",
		"downwardAPI: {}":                                                  "",
		"image: {reference: more}":                                         "",
		"projected: {sources: [{clusterTrustBundle: {path: x, name: x}}]}": "",
	} {
		for path, below := range map[string]bool{"/confit/more": true, "/confit/more/": true, "/confit": true, "/confitx": false, "/more": false} {
			pod := podWith(t, volume, path)
			_, err := Copy(pod, first(t, pod), options)
			want := ""
			if below && kind != "" {
				want = `the volume at "` + filepath.Clean(path) + `" is a ` + kind + ", and no copy has that: try it in a running pod by --in-place"
			}
			if (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("%s at %s: got %v, want %q", volume, path, err, want)
			}
		}
	}
}

// TestOwnVolumes: --volumes says where confit's volumes are.
func TestOwnVolumes(t *testing.T) {
	pod := podWith(t, "hostPath: {path: /x}", "/srv/more")
	pod.Spec.Containers[0].Command = []string{"confit", "--volumes=/srv", "--", "web"}
	if _, err := Copy(pod, first(t, pod), options); err == nil || !strings.Contains(err.Error(), `"/srv/more"`) {
		t.Errorf("got %v", err)
	}
}

// TestOwnCommand: a command line of the spec stays as the spec writes it, for the kubelet to expand.
func TestOwnCommand(t *testing.T) {
	pod := podWith(t, "emptyDir: {}", "/more")
	pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "DIR", Value: "/opt"}}
	pod.Spec.Containers[0].Command = []string{"$(DIR)/confit", "--probation", "$$1"}
	pod.Spec.Containers[0].Args = []string{"--", "$(DIR)/web"}
	copied, err := Copy(pod, first(t, pod), options)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(copied.Spec.Containers[0].Command, " "); got != "$(DIR)/confit --probation $$1 --state /.confit-check --try - -- $(DIR)/web" || copied.Spec.Containers[0].Args != nil {
		t.Errorf("got %s", got)
	}
}

// TestSidecar: a sidecar of initContainers would end the copy's start.
func TestSidecar(t *testing.T) {
	pod := podWith(t, "emptyDir: {}", "/more")
	always := corev1.ContainerRestartPolicyAlways
	pod.Spec.Containers[0].RestartPolicy = &always
	pod.Spec.InitContainers, pod.Spec.Containers = pod.Spec.Containers, nil
	if _, err := Copy(pod, first(t, pod), options); err == nil || !strings.Contains(err.Error(), "sidecar") {
		t.Errorf("got %v", err)
	}
}
