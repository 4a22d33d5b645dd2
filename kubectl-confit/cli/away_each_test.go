//go:build check

package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/internal/scripted"
)

// verbs are some with all that they ask for: each begins with a server of its own.
var verbs = map[string]func(*testing.T) (*scripted.Server, func(...string) result, []string){
	"sync": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		f := newFleet(t, 2)
		return f.Server, f.run, []string{"sync", "configmap/web"}
	},
	"wait": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		w, a, b := edited(t)
		w.take(a, b)
		return w.Server, w.run, []string{"wait", "pod/web-0"}
	},
	"apply": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		f := newFleet(t, 2)
		f.Apply(owned("kubectl", metav1.ManagedFieldsOperationApply))
		f.took["web-0"] = func(r *scripted.Replica, _ int) {
			if f.bring(r); f.data("web")["nginx.conf"] == "2" {
				r.Reject("verify", "it is bad", "", 1)
			} else {
				r.Accept()
			}
		}
		return f.Server, f.run, []string{"apply", "--no-check", "--undo", "-f", edit(t, "2")}
	},
	"check": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		n := newNode(t, tlsPod("web-0"))
		return n.Server, func(args ...string) result {
			return call(strings.NewReader(newWeb), append(args, "--kubeconfig", n.Kubeconfig(), "-n", "shop")...)
		}, []string{"check", "-f", "-"}
	},
	"rollout": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		r := newRolling(t, "web-0")
		r.rejects("web-0", "verify", "it is bad", "bad")
		return r.Server, r.run, []string{"rollout", "status", "web"}
	},
	"resume": func(t *testing.T) (*scripted.Server, func(...string) result, []string) {
		r := newRolling(t, "web-0")
		return r.Server, r.run, []string{"rollout", "resume", "web"}
	},
}

// TestAway_each: whichever request of a verb has no answer, it ends as it does with all of them.
func TestAway_each(t *testing.T) {
	for name, begin := range verbs {
		t.Run(name, func(t *testing.T) {
			s, run, args := begin(t)
			before := s.Requests()
			want := run(args...)
			kinds := s.Requests()
			maps.DeleteFunc(kinds, func(kind string, n int) bool { return n == before[kind] })
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				s, run, args := begin(t)
				met := false
				s.Refuse(func(verb, resource, _ string) int {
					if verb+" "+resource != kind || met {
						return 0
					}
					met = true
					return scripted.Cut
				})
				if got := run(args...); got.code != want.code || got.stdout != want.stdout || lastLine(got) != lastLine(want) {
					t.Errorf("%s: got %+v, want %+v", kind, got, want)
				}
			}
			t.Log(slices.Sorted(maps.Keys(kinds)))
		})
	}
}

func lastLine(r result) string {
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	return lines[len(lines)-1]
}
