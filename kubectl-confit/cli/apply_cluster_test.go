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

// TestAPIServer has the verb meet a real API server: there is no node, so no pod ever answers, and all is put back.
func TestAPIServer(t *testing.T) {
	config := cluster.Start(t).Kubeconfig("admin", "")
	kubectl := func(input string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(os.Getenv(cluster.Variable), "kubectl"), append(args, "--kubeconfig", config)...)
		var out, said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("kubectl %q: %v\n%s", args, err, said.String())
		}
		return out.String()
	}
	const web = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {nginx.conf: '1'}\n"
	kubectl(web, "apply", "-f", "-")
	kubectl(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0"}, "spec": {"nodeName": "nowhere",
		"containers": [{"name": "nginx", "image": "nginx", "command": ["/.confit/confit", "--", "nginx"], "volumeMounts": [{"name": "web", "mountPath": "/confit/web"}]}],
		"volumes": [{"name": "web", "configMap": {"name": "web"}}]}}`, "create", "-f", "-")
	kubectl("", "patch", "pod", "web-0", "--subresource=status", "-p", `{"status": {"phase": "Running", "containerStatuses": [{"name": "nginx", "image": "nginx",
		"imageID": "x", "ready": true, "restartCount": 0, "containerID": "containerd://1", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}`)
	shown := func() string {
		return kubectl("", "get", "configmap", "web", "--show-managed-fields", "-o", `jsonpath={.data}{range .metadata.managedFields[*]} {.manager} {.operation}{end}`)
	}
	const was = `{"nginx.conf":"1"} kubectl-client-side-apply Update`
	if got := shown(); got != was {
		t.Fatalf("it is %s", got)
	}
	edited := func() *strings.Reader { return strings.NewReader(strings.Replace(web, "'1'", "'2'", 1)) }
	r := call(edited(), "apply", "-f", "-", "--no-check", "--dry-run=server", "--kubeconfig", config)
	if r.code != 0 || r.stdout != "configmap/web would be applied (server dry run)\n" || shown() != was {
		t.Errorf("got %+v, and it is %s", r, shown())
	}
	r = call(edited(), "apply", "-f", "-", "--no-check", "--undo", "--timeout", "3s", "--kubeconfig", config)
	if r.code != 1 || !strings.Contains(r.stderr, "Applied configmap/web") || !strings.Contains(r.stderr, "kubectl-confit: configmap/web is as it was before\n") {
		t.Errorf("got %+v", r)
	}
	if got := shown(); got != was {
		t.Errorf("it was %s and is %s", was, got)
	}
	kubectl("", "annotate", "configmap", "web", "meta.helm.sh/release-name=web")
	r = call(strings.NewReader(web), "apply", "-f", "-", "--kubeconfig", config)
	if r.code != 1 || !strings.Contains(r.stderr, "Helm keeps it") {
		t.Errorf("got %+v", r)
	}
	r = call(strings.NewReader(""), Completion([]string{"wait", "--kubeconfig", config, "-n", "kube-s"})...)
	if !strings.HasPrefix(r.stdout, "kube-system\n") {
		t.Errorf("got %+v", r)
	}
}
