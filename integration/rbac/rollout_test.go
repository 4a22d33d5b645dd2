//go:build fleet

package rbac

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confit/integration/internal/harness"
)

// testRollout: each verb of kubectl confit rollout does its work with the rights that rbac.yaml has for it, and without one of them
// says which.
func testRollout(s *server) {
	r := &rollouts{server: s, plugin: filepath.Join(s.TempDir(), "kubectl-confit")}
	if err := harness.GoBuild(filepath.Join(root, "kubectl-confit"), r.plugin, []string{"CGO_ENABLED=0"}); err != nil {
		s.Fatal(err)
	}
	s.must(rejecter, "create", "-f", "-")
	s.must("", "patch", "pod", "rejecter", "--subresource=status", "-p", runs)
	s.must(`{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "web"}}`, "create", "-f", "-")
	s.must(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
		"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx", "env": [{"name": "CONFITCTL_LEASE", "value": "web"}]}]}}}}`, "create", "-f", "-")
	r.see()
	r.steer()
}

// rejecter is a pod with confit, which runs as far as the API knows.
const (
	rejecter = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "rejecter"}, "spec": {
		"containers": [{"name": "nginx", "image": "nginx", "command": ["/.confit/confit", "--", "nginx"]}]}}`
	runs = `{"status": {"phase": "Running", "containerStatuses": [{"name": "nginx", "image": "nginx", "imageID": "x", "ready": true,
		"restartCount": 0, "containerID": "containerd://1", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}`
)

// Records of a rollout that a pod has rejected, and of one that goes on.
const (
	rejected = `{"version": 1, "serial": 2, "revisions": [{"name": "r1", "stable": "aaaa", "trial": {"hash": "bbbb", "canaries": 1, "accepted": 0},
		"rejected": [{"hash": "bbbb", "step": "verify", "pod": "rejecter"}]}]}`
	tried  = `{"version": 1, "serial": 2, "revisions": [{"name": "r1", "stable": "aaaa", "trial": {"hash": "bbbb", "canaries": 1, "accepted": 0}}]}`
	paused = `{"version": 1, "serial": 2, "paused": true, "revisions": [{"name": "r1", "stable": "aaaa"}]}`
)

// rollouts is the plugin, for anybody.
type rollouts struct {
	*server
	plugin string
	people int
}

// see has somebody look. Of the rights for the words each only helps.
func (r *rollouts) see() {
	const asked = "pod rejecter does not have a host assigned" // so the request has passed all rules
	r.must("", "annotate", "lease", "web", "confit/rollout="+rejected)
	outcomes := map[string]outcome{
		"":                 {0, asked},
		"get leases":       {1, `cannot get lease "web" in namespace "default": forbidden; allow "get" on resource "leases"`},
		"list leases":      {0, asked},
		"list pods":        {0, "cannot list pods: the right to list pods is missing"},
		"get pods/exec":    {0, "the right to get pods/exec is missing"}, // where a container runs it is asked by SPDY then
		"create pods/exec": {0, "the right to create pods/exec is missing"},
		"get deployments":  {1, "cannot read deployment/web: the right to get deployments is missing"},
	}
	rules := r.rules("clusterroles/confit-rollout-status")
	for missing, want := range outcomes {
		r.attempt(without(r.server, rules, missing), missing, want, "rollout", "status", "deployment/web")
	}
	r.attempt(without(r.server, rules, "get deployments"), "get deployments", outcomes[""], "rollout", "status", "web")
	r.covers(rules, outcomes)
	r.attempt(rules, "", outcome{0, "web\n:"}, "__complete", "rollout", "status", "")
	r.attempt(without(r.server, rules, "list leases"), "list leases", outcome{0, ":"}, "__complete", "rollout", "status", "")
}

// steer has somebody change a rollout.
func (r *rollouts) steer() {
	rules := r.rules("namespaces/default/roles/confit-rollout-web")
	outcomes := map[string]outcome{
		"":              {0, "REVISION"},
		"get leases":    {1, `cannot get lease "web" in namespace "default": forbidden; allow "get" on resource "leases"`},
		"update leases": {1, `cannot update lease "web" in namespace "default": forbidden; allow "update" on resource "leases"`},
	}
	r.covers(rules, outcomes)
	for verb, record := range map[string]string{"pause": tried, "resume": paused, "retry --hash bbbb": rejected, "promote": tried, "abort": tried} {
		r.must("", "annotate", "lease", "web", "confit/rollout="+record, "--overwrite")
		verb, flags, _ := strings.Cut(verb, " ")
		for _, missing := range []string{"get leases", "update leases", ""} {
			r.attempt(without(r.server, rules, missing), missing, outcomes[missing], append([]string{"rollout", verb, "web"}, strings.Fields(flags)...)...)
		}
		if now, _, _ := r.Kubectl(r.config, root, "", "get", "lease", "web", "-o", `jsonpath={.metadata.annotations.confit/rollout}`); now == record {
			r.Errorf("%s has changed nothing", verb)
		}
	}
}

// outcome is an exit code, and what is said.
type outcome struct {
	code int
	said string
}

// covers holds that each right of a role was taken away.
func (r *rollouts) covers(rules []rule, outcomes map[string]outcome) {
	r.Helper()
	for _, each := range rules {
		for _, verb := range each.Verbs {
			if _, there := outcomes[verb+" "+each.Resources[0]]; !there && !strings.HasPrefix(verb, "confit-") {
				r.Errorf("nobody does without the right to %s %s", verb, each.Resources[0])
			}
		}
	}
}

// attempt has somebody with these rights, and no others, run the plugin, until the server knows the rights.
func (r *rollouts) attempt(rules []rule, missing string, want outcome, args ...string) {
	r.Helper()
	r.people++
	name := fmt.Sprintf("somebody-%d", r.people)
	r.Account(name)
	var texts []string
	for _, each := range rules {
		text, err := json.Marshal(each)
		if err != nil {
			r.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	r.Allow(name, strings.Join(texts, ","))
	config := r.Kubeconfig(name, r.Token(name, ""))
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		code, said := r.run(config, args...)
		if code == want.code && strings.Contains(said, want.said) {
			return
		}
		if time.Now().After(end) {
			r.Fatalf("%q without the right to %q: exit code %d, want %d, %s:\n%s", args, missing, code, want.code, want.said, said)
		}
	}
}

// run runs the plugin for whom a kubeconfig is.
func (r *rollouts) run(config string, args ...string) (code int, said string) {
	var out bytes.Buffer
	cmd := exec.CommandContext(r.Context(), r.plugin, args...)
	cmd.Env = append(cmd.Environ(), "KUBECONFIG="+config, "KUBECACHEDIR="+filepath.Dir(r.plugin))
	cmd.Stdout, cmd.Stderr = &out, &out
	if exit := (*exec.ExitError)(nil); !errors.As(cmd.Run(), &exit) && cmd.ProcessState == nil {
		r.Fatalf("cannot run %s", r.plugin)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// rule is one of a role's.
type rule struct {
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames,omitempty"`
	Verbs         []string `json:"verbs"`
}

// rules are those of a role as the server has it.
func (s *server) rules(role string) []rule {
	s.Helper()
	var has struct{ Rules []rule }
	if err := json.Unmarshal(s.Must(http.MethodGet, "/apis/rbac.authorization.k8s.io/v1/"+role, "", http.StatusOK), &has); err != nil {
		s.Fatal(err)
	}
	return has.Rules
}

// without are the rules without a right: "get leases"; "": all of them.
func without(s *server, rules []rule, right string) (left []rule) {
	s.Helper()
	found := right == ""
	for _, each := range rules {
		each.Verbs = slices.DeleteFunc(slices.Clone(each.Verbs), func(verb string) bool {
			is := verb+" "+each.Resources[0] == right
			found = found || is
			return is
		})
		if len(each.Verbs) > 0 {
			left = append(left, each)
		}
	}
	if !found {
		s.Errorf("no rule has the right to %s", right)
	}
	return left
}
