//go:build fleet

// Package rbac puts people with the rights of examples/kubectl to a real API server: what each may do, and what the policies keep
// from them. There is no node, so no pod runs. make e2e has the other verbs of kubectl confit do their work with these rights.
//
//	main_test.go       the cases, and who asks
//	sync_test.go       who may sync may change nothing else
//	exec_test.go       who may look may run nothing else
//	rollout_test.go    who may see a rollout, and who may steer it
//
// make fleet runs it.
package rbac

import (
	"strings"
	"testing"
	"time"

	"confit/integration/cluster"
)

// patience is how long the server may take to see a policy, on a busy machine.
const patience = 2 * time.Minute

// root is the project's directory.
const root = "../.."

// TestRights has one pod, which is what people ask for.
func TestRights(t *testing.T) {
	c := cluster.Start(t)
	s := &server{t, c, c.Kubeconfig("admin", "")}
	s.must(pod, "create", "-f", "-")
	s.must("", "apply", "-f", "examples/kubectl/rbac.yaml", "-f", "examples/kubectl/sync-only.yaml", "-f", "examples/kubectl/exec-only.yaml")
	s.must("", "create", "clusterrole", "get-pods", "--verb=get", "--resource=pods") // which kubectl does before it does anything
	s.must("", "create", "clusterrole", "patch-pods", "--verb=get,patch", "--resource=pods")
	for _, b := range []struct{ user, role string }{
		{"sync", "confit-sync"}, {"sync", "get-pods"}, {"status", "confit-status"}, {"status", "get-pods"},
		{"in-place", "confit-check-in-place"}, {"in-place", "get-pods"},
		{"both", "get-pods"}, {"both", "confit-sync"}, {"both", "confit-status"}, {"both", "system:aggregate-to-edit"}, // what "edit" is where controllers run
		{"controller", "patch-pods"},
	} {
		s.must("", "create", "rolebinding", b.user+"-"+b.role, "--clusterrole="+b.role, "--user="+b.user)
	}
	for _, each := range []struct {
		name string
		test func(*server)
	}{
		{"fields", testFields},
		{"sync", testSync},
		{"free", testFree},
		{"exec", testExec},
		{"rollout", testRollout},
	} {
		t.Run(each.name, func(t *testing.T) { each.test(&server{t, c.For(t), s.config}) })
	}
}

// pod has of everything that can be changed.
const pod = `
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
  annotations: {other: annotation}
  finalizers: [example.com/held]
spec:
  schedulingGates: [{name: example.com/wait}]
  activeDeadlineSeconds: 3600
  containers: [{name: nginx, image: nginx:1.29}]
`

// server is an API server, and kubectl for anybody.
type server struct {
	*testing.T
	*cluster.Cluster
	config string
}

// must is what the administrator does.
func (s *server) must(input string, args ...string) {
	s.Helper()
	if _, said, ok := s.Kubectl(s.config, root, input, args...); !ok {
		s.Fatalf("kubectl %s: %s", args[0], said)
	}
}

// asks is what somebody is told: "" if it is done.
func (s *server) asks(user string, args ...string) string {
	s.Helper()
	_, said, ok := s.Kubectl(s.config, root, "", append([]string{"--as=" + user}, args...)...)
	if ok {
		return ""
	}
	return strings.TrimSpace(said)
}

// until polls, with a bound.
func (s *server) until(what string, ok func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("not within %v: %s", patience, what)
		}
	}
}
