package cli

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestApply_usage: what the command line may say wrongly.
func TestApply_usage(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  "-f is missing: write -f FILE, or -f - for stdin",
		"web.yaml":                          `"web.yaml" is no flag: write -f web.yaml`,
		"-f web.yaml -o text":               `-o is "text": write one of go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, yaml`,
		"-f web.yaml --timeout -1s":         "--timeout is -1s: write a time, or 0 for any",
		"-f web.yaml --no-check --in-place": "--no-check and --in-place are there: write one of the two",
		"-f web.yaml --no-sync --all":       "--no-sync and --all are there: write one of the two",
	} {
		r := call(strings.NewReader(""), append([]string{"apply"}, strings.Fields(args)...)...)
		if r != (result{64, "", "kubectl-confit: " + want + "; see kubectl confit apply --help\n"}) {
			t.Errorf("%q: got %+v, want %s", args, r, want)
		}
	}
}

// TestApply_wrong: nothing is applied, and all reasons are told. No value is.
func TestApply_wrong(t *testing.T) {
	const conflict = `Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .data.nginx.conf: write the values that are there into the file, or take these fields over with --force-conflicts`
	for name, c := range map[string]struct {
		change func(w *world)
		file   string
		want   []string
	}{
		"conflict": {func(w *world) { w.Apply(owned("kubectl-create", metav1.ManagedFieldsOperationUpdate)) }, edit(t, "s3cret"), []string{"cannot apply configmap/web: " + conflict}},
		"nobody and Helm": {func(w *world) {
			kept := w.holds("1")
			kept.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"}
			w.Apply(kept)
		}, file(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: tls}, stringData: {a: s3cret}}"), []string{
			"cannot apply secret/tls: no pod mounts secret/tls; kubectl apply waits for nobody",
			"cannot apply configmap/web: Helm keeps it, says its label app.kubernetes.io/managed-by=Helm: run helm upgrade, then kubectl confit sync configmap/web and wait configmap/web",
		}},
		"subPath": {func(w *world) {
			pod := w.Get("pods", "shop", "web-0").(*corev1.Pod)
			pod.Spec.Containers[0].VolumeMounts[0].SubPath = "nginx.conf"
			w.Apply(pod)
		}, edit(t, "s3cret"), []string{
			"cannot apply configmap/web: 1 pod with configmap/web, but by subPath or in the environment only, which never changes while a container runs: see kubectl confit inject --help; kubectl apply waits for nobody",
		}},
		"rights": {func(w *world) {
			w.Refuse(func(verb, resource, _ string) int {
				if verb == "patch" && resource == "configmaps" {
					return http.StatusForbidden
				}
				return 0
			})
		}, edit(t, "s3cret"), []string{
			`cannot apply configmap/web: the right to patch configmaps is missing: configmaps "web" is forbidden: User "jane" cannot patch resource "configmaps" in API group "" in the namespace "shop"`,
		}},
		"file":      {nil, file(t, "a: [s3cret"), []string{"cannot read FILE: error parsing FILE: error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'"}},
		"no file":   {nil, "gone.yaml", []string{`cannot read gone.yaml: the path "gone.yaml" does not exist`}},
		"namespace": {nil, file(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: prod}}"), []string{`configmap/web is for the namespace "prod", and -n says "shop": leave one of the two out`}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := applied(t, well)
			if c.change != nil {
				c.change(w)
			}
			r := w.run("apply", "--in-place", "-f", c.file)
			want := "kubectl-confit: " + strings.ReplaceAll(strings.Join(c.want, "\nkubectl-confit: "), "FILE", c.file) + "\n"
			if r != (result{1, "", want}) {
				t.Errorf("got %+v, want %s", r, want)
			}
			w.holds("1")
		})
	}
}

// TestApply_document: with -o json a failure is a document, too.
func TestApply_document(t *testing.T) {
	w, _ := applied(t, well)
	w.Apply(owned("kubectl-create", metav1.ManagedFieldsOperationUpdate))
	r := w.run("apply", "--in-place", "-o", "json", "-f", edit(t, "2"))
	for _, want := range []string{`"kind": "Applied"`, `"verdict": "failed"`, `"code": 1`, `"checked": []`, `"applied": []`, `"pods": []`, `"undo": null`, `kubectl-create`} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the document lacks %s:\n%s", want, r.stdout)
		}
	}
	if r.code != 1 {
		t.Errorf("got %+v", r)
	}
}
