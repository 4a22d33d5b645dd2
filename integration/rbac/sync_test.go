//go:build fleet

package rbac

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// syncOnly is how the policy's answer begins.
const syncOnly = "ValidatingAdmissionPolicy 'confit-sync-only'"

// fields are those of a pod's metadata that somebody who may patch it can change, and a change of each.
var fields = map[string]string{
	"labels":          `{"labels": {"app": "other"}}`,
	"finalizers":      `{"finalizers": null}`,
	"generateName":    `{"generateName": "other-"}`,
	"ownerReferences": `{"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": "1"}]}`,
	"annotations":     `{"annotations": {"other": "one"}}`,
}

// kept are those that no patch changes: the server decides about them. managedFields says who wrote what last; it isn't held.
var kept = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "name", "namespace",
	"resourceVersion", "selfLink", "uid",
}

// testFields: no field of the metadata is forgotten, as long as the API server has none that isn't known here.
func testFields(s *server) {
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]struct{} }
		}
	}
	if err := json.Unmarshal(s.Must(http.MethodGet, "/openapi/v3/api/v1", "", http.StatusOK), &document); err != nil {
		s.Fatal(err)
	}
	has := document.Components.Schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].Properties
	known := slices.Sorted(slices.Values(slices.Concat(kept, slices.Collect(maps.Keys(fields)))))
	if got := slices.Sorted(maps.Keys(has)); !slices.Equal(got, known) {
		s.Errorf("the metadata of a pod has %q, known are %q", got, known)
	}
}

// others are more changes of a pod than one of each field, as a merge patch has them, or a JSON patch.
var others = []string{
	`{"metadata": {"annotations": {"confit/sync": "1", "more": "x"}}}`,
	`{"metadata": {"annotations": {"other": null}}}`,
	`{"metadata": {"annotations": null}}`,
	`{"metadata": {"annotations": {"confit/sync": "1", "nginx.confit/sync": "1"}}}`,
	`{"metadata": {"annotations": {"confit/exec": "sh"}}}`,
	`{"metadata": {"labels": {"app": null}}}`,
	`{"metadata": {"labels": {"confit": "inject"}}}`,
	`{"metadata": {"annotations": {"confit/sync": "1"}, "labels": {"more": "x"}}}`,
	`{"metadata": {"finalizers": ["example.com/held", "example.com/more"]}}`,
	`{"spec": {"activeDeadlineSeconds": 1}}`,
	`{"spec": {"schedulingGates": null}}`,
	`{"spec": {"nodeSelector": {"a": "b"}}}`,
	`[{"op": "add", "path": "/spec/tolerations/-", "value": {"operator": "Exists"}}]`,
	`[{"op": "replace", "path": "/spec/containers/0/image", "value": "example.com/other:1"}]`,
	`[{"op": "add", "path": "/metadata/annotations/confit~1sync", "value": "1"}, {"op": "replace", "path": "/spec/containers/0/image", "value": "example.com/other:1"}]`,
	`{"metadata": {"annotations": {"confit/sync": "` + strings.Repeat("x", 65) + `"}}}`,
}

// testSync: the annotation may be set, changed and taken away, by each kind of patch. Nothing else may.
func testSync(s *server) {
	s.until("the policy is in force", func() bool {
		return strings.Contains(s.asks("sync", "label", "pod", "web", "more=x", "--dry-run=server"), syncOnly)
	})
	for _, args := range [][]string{
		{"annotate", "pod", "web", "confit/sync=one"},
		{"annotate", "pod", "web", "confit/sync=two", "--overwrite"},
		{"patch", "pod", "web", "--type=merge", "-p", `{"metadata": {"annotations": {"confit/sync": "three"}}}`},
		{"patch", "pod", "web", "--type=json", "-p", `[{"op": "replace", "path": "/metadata/annotations/confit~1sync", "value": "four"}]`},
		{"patch", "pod", "web", "--type=merge", "-p", `{"status": {"phase": "Failed"}}`}, // changes nothing: the status is another resource
		{"annotate", "pod", "web", "confit/sync-"},
	} {
		if said := s.asks("sync", args...); said != "" {
			s.Errorf("%q: %s", args, said)
		}
	}
	changes := slices.Clone(others)
	for _, change := range fields {
		changes = append(changes, `{"metadata": `+change+`}`)
	}
	for _, change := range changes {
		said := s.asks("sync", "patch", "pod", "web", "--type="+kind(change), "-p", change)
		if !strings.Contains(said, "(Forbidden)") || !strings.Contains(said, syncOnly) {
			s.Errorf("%s: %s", change, said)
		}
	}
	if got, _, _ := s.Kubectl(s.config, root, "", "get", "pod", "web", "-o", "jsonpath={.metadata.annotations} {.metadata.labels} {.metadata.generation}"); got != `{"other":"annotation"} {"app":"web"} 1` {
		s.Errorf("the pod is changed: %s", got)
	}
}

// kind is that of a patch.
func kind(patch string) string {
	if strings.HasPrefix(patch, "[") {
		return "json"
	}
	return "merge"
}

// testFree: whoever has more rights than to sync isn't held, nor is who has nothing to do with confit. Who has fewer is told by RBAC.
func testFree(s *server) {
	for _, user := range []string{"both", "controller"} {
		if said := s.asks(user, "label", "pod", "web", "more=x", "--dry-run=server"); said != "" {
			s.Errorf("%s: %s", user, said)
		}
	}
	if _, said, ok := s.Kubectl(s.config, root, "", "label", "pod", "web", "more=x", "--dry-run=server"); !ok {
		s.Errorf("the administrator: %s", said)
	}
	for _, args := range [][]string{
		{"delete", "pod", "web"},
		{"replace", "-f", "-"},
		{"patch", "pod", "web", "--subresource=status", "--type=merge", "-p", `{"status": {"phase": "Failed"}}`},
		{"patch", "pod", "web", "--subresource=resize", "--type=merge", "-p", `{"spec": {}}`},
		{"exec", "web", "--", "confit", "--status"},
	} {
		if _, said, ok := s.Kubectl(s.config, root, pod, append([]string{"--as=sync"}, args...)...); ok || strings.Contains(said, syncOnly) || !strings.Contains(said, "forbidden") {
			s.Errorf("%q: %s", args, said)
		}
	}
}
