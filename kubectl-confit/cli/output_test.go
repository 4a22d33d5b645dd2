package cli

import (
	"strings"
	"testing"
)

// TestOutput: each verb that has a document prints it in kubectl's formats.
func TestOutput(t *testing.T) {
	w, a, b := edited(t)
	w.take(a)
	b.Bring("/confit/web", w.data("web"))
	b.Reject("validate", "bad", "", 4)
	for line, want := range map[string]string{
		"status configmap/web -o name":                                                                               "pod/web-0\npod/web-1\n",
		"status configmap/web -o jsonpath={.pods[?(@.state!=\"accepted\")].pod}":                                     "web-1",
		"status configmap/web -o go-template={{range.pods}}{{.pod}}:{{.state}};{{end}}":                              "web-0:accepted;web-1:rejected;",
		"status configmap/web --template={{.code}}":                                                                  "3",
		"wait configmap/web -o jsonpath={.code}":                                                                     "3",
		"sync configmap/web -o name":                                                                                 "pod/web-0\npod/web-1\n",
		"apply --no-check --dry-run=server -o name -f " + edit(t, "3"):                                               "configmap/web\n",
		"apply --no-check --dry-run=server -o jsonpath={.verdict}:{.namespace} --force-conflicts -f " + edit(t, "3"): "tried:shop",
		"apply --no-check --dry-run=server -o go-template={{.verdict}} --force-conflicts -f " + edit(t, "3"):         "tried",
	} {
		if r := w.run(strings.Fields(line)...); r.stdout != want || r.code == 64 {
			t.Errorf("%s: got %+v, want %q", line, r, want)
		}
	}
	n := newNode(t, tlsPod("web-0"))
	n.code, n.said = 78, "no\n"
	for format, want := range map[string]string{"name": "pod/web-0\n", "jsonpath={.kind}:{.code}:{.checked[*].verdict}:{.checked[*].printed[*]}": "Checked:3:refused:no"} {
		if r := n.check(newWeb, "-o", format); r.stdout != want || r.code != 3 {
			t.Errorf("check -o %s: got %+v, want %q", format, r, want)
		}
	}
	for line, want := range map[string]string{
		"status -o jsonpath={":           "-o: error parsing jsonpath {, ",
		"status -o go-template={{":       "-o: error parsing template {{, ",
		"rollout status web -o jsonpath": "-o: template format specified but no template given",
	} {
		if r := w.run(strings.Fields(line)...); r.code != 64 || !strings.HasPrefix(r.stderr, "kubectl-confit: "+want) {
			t.Errorf("%s: got %+v, want %s", line, r, want)
		}
	}
}

// TestOutput_rollout: whoever may update the Lease commands no terminal, in no format, and breaks none.
func TestOutput_rollout(t *testing.T) {
	r := newRolling(t, "web-0")
	record := r.stored()
	record.Revisions = append(record.Revisions, record.Revisions[0])
	record.Revisions[1].Name = "\x1b[2J\u009b2J\u202e"
	r.store(record)
	for format, want := range map[string]string{
		"name": "lease.coordination.k8s.io/web\n", "jsonpath={.revisions[0].name}": "\uFFFD[2J\uFFFD2J\uFFFD",
		"json": "\uFFFD[2J\uFFFD2J\uFFFD", "yaml": "\uFFFD[2J\uFFFD2J\uFFFD", "go-template={{(index .revisions 0).name}}": "\uFFFD[2J\uFFFD2J\uFFFD",
	} {
		got := r.run("rollout", "status", "web", "-o", format)
		if got.code != 0 || !strings.Contains(got.stdout, want) || strings.ContainsAny(got.stdout, "\x1b\u009b\u202e") {
			t.Errorf("%s: got %+v, want %q", format, got, want)
		}
	}
}
