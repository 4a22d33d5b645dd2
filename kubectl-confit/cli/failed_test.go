package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestOutput_failed: a program that reads the output finds one document however a verb ends, with the exit code and why.
func TestOutput_failed(t *testing.T) {
	w, _, _ := edited(t)
	w.Refuse(func(verb, resource, _ string) int {
		if resource == "pods" || resource == "leases" {
			return http.StatusForbidden
		}
		return 0
	})
	for line, kind := range map[string]string{
		"status": "Report", "status configmap/web": "Report", "status -A": "ReportList", "wait configmap/web": "Report", "sync configmap/web": "Report",
		"apply --no-check -f " + edit(t, "3"): "Applied", "rollout status web": "Rollout", "rollout status deployment/nowhere": "Rollout",
		"rollout pause web": "Rollout",
	} {
		for _, more := range []string{"", " --kubeconfig gone"} {
			r := w.run(strings.Fields(line + " -o json" + more)...)
			var d struct {
				Kind, Why string
				Code      int
			}
			if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || r.code != 1 || d.Code != 1 || d.Kind != kind || d.Why == "" || !strings.Contains(r.stderr, "kubectl-confit: ") {
				t.Errorf("%s: got %+v (%v)", line+more, r, err)
			}
			if r := w.run(strings.Fields(line + more)...); r.code != 1 || r.stdout != "" {
				t.Errorf("%s: got %+v", line+more, r)
			}
		}
	}
	if r := w.run("wait", "-o", "json"); r.code != 64 || r.stdout != "" {
		t.Errorf("a wrong command line has a document: %+v", r)
	}
}
