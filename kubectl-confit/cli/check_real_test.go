package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// realPod is a pod with a real confit, whose volumes are below a directory of this machine.
func realPod(t *testing.T, program, dir string) *corev1.Pod {
	t.Helper()
	return podFrom(t, strings.NewReplacer("PROGRAM", program, "DIR", dir).Replace(`
metadata: {name: web-0}
spec:
  containers:
  - name: web
    command: [PROGRAM, --volumes, DIR/confit, --, "true"]
    env:
    - name: CONFIT_LINES
      value: |
        link web/a DIR/a
        link tls/key DIR/key
        validate sh -c 'echo checking $(cat {candidate}/tls/key); grep good {candidate}/web/a'
    volumeMounts: [{name: web, mountPath: DIR/confit/web}, {name: tls, mountPath: DIR/confit/tls}]
  volumes: [{name: web, configMap: {name: web}}, {name: tls, secret: {secretName: web}}]
`))
}

// real runs what a container would run on this machine: with a state in memory, as a copy has it, and the container's environment.
func (n *node) real(dir, memory string) func(words []string, stdin []byte) (code int, printed string) {
	pod, ok := n.Get("pods", "shop", "web-0").(*corev1.Pod)
	if !ok {
		n.t.Fatal("the pod is gone")
	}
	web, _ := n.Get("configmaps", "shop", "web").(*corev1.ConfigMap)
	secret, _ := n.Get("secrets", "shop", "web").(*corev1.Secret)
	texts := map[string][]byte{}
	for key, text := range web.Data {
		texts[key] = []byte(text)
	}
	for volume, keys := range map[string]map[string][]byte{"web": texts, "tls": secret.Data} {
		fine(n.t, os.MkdirAll(filepath.Join(dir, "confit", volume), 0o755))
		for key, value := range keys {
			fine(n.t, os.WriteFile(filepath.Join(dir, "confit", volume, key), value, 0o600))
		}
	}
	return func(words []string, stdin []byte) (int, string) {
		words = slices.Clone(words)
		for i, w := range words {
			words[i] = strings.NewReplacer("/.confit-check", memory, "/dev/shm/confit-try-", memory+"/in-place-").Replace(w)
		}
		c := exec.Command(words[0], words[1:]...)
		c.Env = append(os.Environ(), "CONFIT_STATE="+memory, "CONFIT_LINES="+pod.Spec.Containers[0].Env[0].Value)
		c.Stdin = bytes.NewReader(stdin)
		out, err := c.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			n.t.Error(err)
		}
		return c.ProcessState.ExitCode(), string(out)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheckReal: a real confit tries what the verb sends, in a copy and beside PID 1, with what the cluster has beside it.
func TestCheckReal(t *testing.T) {
	program := filepath.Join(t.TempDir(), "confit")
	build := exec.Command("go", "build", "-C", "../..", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	memory, err := os.MkdirTemp("/dev/shm", "confit-check")
	fine(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(memory) })
	dir := t.TempDir()
	m := metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	n := newNode(t, realPod(t, program, dir), &corev1.ConfigMap{ObjectMeta: m, Data: map[string]string{"a": "good old"}},
		&corev1.Secret{ObjectMeta: m, Data: map[string][]byte{"key": []byte("oldsecret")}})
	n.runs = n.real(dir, memory)
	const secretOf = "{apiVersion: v1, kind: Secret, metadata: {name: web}, data: {key: bmV3c2VjcmV0}}"
	for _, c := range []struct {
		manifest string
		code     int
		want     []string
	}{
		{"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: good new}}", 0, []string{"TAKEN: configmap/web, ", "\n  checking oldsecret\n  good new\n", "\n  candidate passed: staged, validated\n"}},
		{"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: bad}}", 3, []string{"REFUSED: configmap/web, ", "\n  validate \"sh -c '"}},
		{"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {b: good}}", 3, []string{"REFUSED: ", "\n  stage: ", `: key "a" is missing`}},
		{secretOf, 0, []string{"TAKEN: secret/web, ", "\n  checking [key of secret/web]\n  good old\n"}},
	} {
		for _, args := range [][]string{nil, {"--in-place"}} {
			r := n.check(c.manifest, args...)
			if r.code != c.code || r.stderr != "" {
				t.Errorf("%s %v: got %+v", c.manifest, args, r)
			}
			for _, want := range c.want {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("%s %v: %q isn't in\n%s", c.manifest, args, want, r.stdout)
				}
			}
		}
	}
	inCopies, err := filepath.Glob(memory + "/try/*")
	fine(t, err)
	if left, err := filepath.Glob(memory + "/*/try/*"); err != nil || len(left)+len(inCopies) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
