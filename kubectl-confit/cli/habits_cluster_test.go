//go:build fleet

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/cluster"
)

// crd is Argo's Rollout as far as it matters here.
const crd = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: rollouts.argoproj.io}, spec: {group: argoproj.io, scope: Namespaced,
  names: {kind: Rollout, plural: rollouts, singular: rollout, shortNames: [ro]}, versions: [{name: v1alpha1, served: true, storage: true,
  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`

// TestAPIServer_habits: files, workloads, rollouts and formats as kubectl has them, on a real API server without nodes.
func TestAPIServer_habits(t *testing.T) {
	config := cluster.Start(t).Kubeconfig("admin", "")
	kubectl := func(input string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(os.Getenv(cluster.Variable), "kubectl"), append(args, "--kubeconfig", config)...)
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &said, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("kubectl %q: %v\n%s", args, err, said.String())
		}
	}
	kubectl(crd, "create", "-f", "-")
	kubectl("", "wait", "--for=condition=Established", "crd/rollouts.argoproj.io", "--timeout=30s")
	kubectl("", "create", "namespace", "prod")
	for name, namespace := range map[string]string{"a": "default", "b": "default", "c": "prod"} {
		kubectl("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {k: v}}", "apply", "-n", namespace, "-f", "-")
		kubectl("{apiVersion: v1, kind: Pod, metadata: {name: "+name+", labels: {app: "+name+"}}, spec: {containers: [{name: web, image: web, command: [confit, web], volumeMounts: [{name: web, mountPath: /confit/web}]}], volumes: [{name: web, configMap: {name: web}}]}}",
			"create", "-n", namespace, "-f", "-")
	}
	template := "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: web, image: web, env: [{name: CONFITCTL_LEASE, value: web}]}]}}"
	kubectl("{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: {"+template+"}}", "create", "-f", "-")
	kubectl("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 0, "+template+"}}", "create", "-f", "-")
	kubectl("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: web}}", "create", "-f", "-")
	write(t, map[string]string{"d/web.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {k: w}}", "d/below/bad.yaml": "a: ["})
	for line, want := range map[string]result{
		"status rollout/a -o name":  {0, "pod/a\n", ""},
		"status ro/a pod/b -o name": {0, "pod/a\npod/b\n", ""},
		"status -A -o jsonpath={range.items[*]}{.namespace}:{.pods[*].pod};{end}": {0, "default:a b;prod:c;", ""},
		"rollout status ro/a -o name":                                        {0, "lease.coordination.k8s.io/web\n", ""},
		"rollout pause deploy a -o jsonpath={.paused}":                       {0, "true", ""},
		"apply --no-check --dry-run=server -f d -o go-template={{.verdict}}": {0, "tried", ""},
		"apply --no-check --dry-run=server -f d -R":                          {1, "", "kubectl-confit: cannot read d: error parsing d/below/bad.yaml: error converting YAML to JSON: yaml: line 1: did not find expected node content\n"},
	} {
		if r := call(strings.NewReader(""), append(strings.Fields(line), "--kubeconfig", config)...); r != want {
			t.Errorf("%s: got %+v, want %+v", line, r, want)
		}
	}
}
