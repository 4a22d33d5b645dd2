package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"syscall"
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
		"rollout pause lease/web": "Rollout", "check -f " + edit(t, "3"): "Checked",
	} {
		for _, more := range []string{"", " --kubeconfig gone"} {
			r := call(strings.NewReader(""), append(w.args(strings.Fields(line+" -o json")), strings.Fields(more)...)...)
			want := ended{Kind: kind, Code: 1}
			if more == "" && kind != "ReportList" {
				want.Namespace = "shop"
			}
			if kind == "Rollout" && !strings.Contains(line, "nowhere") { // that isn't resolved
				want.Lease = "web"
			}
			if d := r.document(t); r.code != 1 || d.Why == "" || !d.is(want) || !strings.Contains(r.stderr, "kubectl-confit: ") {
				t.Errorf("%s: got %+v", line+more, r)
			}
			if r := call(strings.NewReader(""), append(w.args(strings.Fields(line)), strings.Fields(more)...)...); r.code != 1 || r.stdout != "" {
				t.Errorf("%s: got %+v", line+more, r)
			}
		}
	}
	if r := w.run("wait", "-o", "json"); r.code != 64 || r.stdout != "" {
		t.Errorf("a wrong command line has a document: %+v", r)
	}
}

// ended is what each document says of how its verb ended.
type ended struct {
	Kind, Namespace, Lease, Why string
	Code                        int
}

func (e ended) is(want ended) bool {
	want.Why = e.Why
	return e == want
}

// document is the one that stdout has.
func (r result) document(t *testing.T) (d ended) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Errorf("%v: %+v", err, r)
	}
	return d
}

// TestOutput_signal: a signal ends a verb, and the document says by its exit code which.
func TestOutput_signal(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	fine(t, err)
	for line, verb := range map[string]struct{ sees, kind, lease string }{
		"wait configmap/web": {"0 of 1 accepted", "Report", ""},
		"sync configmap/web": {"Syncing web-0", "Report", ""},
		"apply --no-check --no-sync --force-conflicts -f " + edit(t, "3"): {"0 of 1 accepted", "Applied", ""},
		"rollout status lease/web --wait --hash 3":                        {"waiting: nobody has tried 3 yet", "Rollout", "web"},
	} {
		for signal, code := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
			r := newRolling(t, "web-0")
			s := r.start(verb.sees, append(strings.Fields(line), "-o", "json")...)
			fine(t, self.Signal(signal))
			got := s.ends()
			if d := got.document(t); got.code != code || d.Why == "" || !d.is(ended{Kind: verb.kind, Namespace: "shop", Lease: verb.lease, Code: code}) {
				t.Errorf("%s, %v: got %+v", line, signal, got)
			}
		}
	}
}
