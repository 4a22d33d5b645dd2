//go:build check

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	coordination "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/lease"
	"confit/kubectl-confit/internal/scripted"
)

// TestCompletion has the real kubectl complete the plugin's words.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "kubectl-confit"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink("kubectl-confit", filepath.Join(dir, "kubectl_complete-confit")); err != nil {
		t.Fatal(err)
	}
	in := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	rolled := in("shop", "wiki")
	rolled.Annotations = map[string]string{lease.Annotation: "{}"}
	server := scripted.Start(t, nil, &corev1.ConfigMap{ObjectMeta: in("shop", "web")}, &corev1.ConfigMap{ObjectMeta: in("shop", "wiki")},
		&corev1.Secret{ObjectMeta: in("shop", "tls")}, &corev1.ConfigMap{ObjectMeta: in("other", "else")},
		&coordination.Lease{ObjectMeta: in("shop", "web")}, &coordination.Lease{ObjectMeta: rolled})
	for _, c := range []struct{ words, want string }{
		{"w", "wait"},
		{"wait ", "configmap/ daemonset/ deployment/ pod/ secret/ statefulset/"},
		{"wait con", "configmap/"},
		{"wait configmap/ -n shop", ""}, // the word is behind
		{"wait -n shop configmap/", "configmap/web configmap/wiki"},
		{"wait -n shop cm/we", "cm/web"},
		{"wait -n shop secret/tls configmap/wi", "configmap/wiki"},
		{"wait -n nowhere configmap/", ""},
		{"wait -n shop nothing/", ""},
		{"wait --kubeconfig gone -n shop configmap/", ""},
		{"wait --time", "--timeout"},
		{"apply -o ", "go-template go-template-file json jsonpath jsonpath-as-json jsonpath-file kyaml name template templatefile yaml"},
		{"apply -f ", "json yaml yml"}, // extensions: the shell completes files
		{"apply --context ", contextOf(t, server.Kubeconfig())},
		{"inject ", ""},
		{"rollout ", "abort pause promote resume retry status"},
		{"rollout status -n shop ", "wiki"}, // the other Lease is no rollout
		{"rollout abort -n shop lease/", "lease/wiki"},
		{"rollout abort -n shop wiki ", ""},
		{"rollout retry --h", "--hash --help"},
	} {
		words := append([]string{"__complete", "confit"}, strings.Split(c.words, " ")...)
		cmd := exec.Command("kubectl", words...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "KUBECONFIG="+server.Kubeconfig(), "HOME="+dir)
		out, err := cmd.Output()
		if got := completions(string(out)); err != nil || got != c.want {
			t.Errorf("%q is completed to %q, want %q (%v)", c.words, got, c.want, err)
		}
	}
}

// completions are the words that kubectl offers, without what they mean and without the word for the shell.
func completions(out string) string {
	var words []string
	for line := range strings.Lines(out) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// contextOf is the one of a kubeconfig.
func contextOf(t *testing.T, kubeconfig string) string {
	t.Helper()
	out, err := exec.Command("kubectl", "config", "current-context", "--kubeconfig", kubeconfig).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
