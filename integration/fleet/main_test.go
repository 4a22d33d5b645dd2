//go:build fleet

// Package fleet rolls edits out over replicas that are what they are in a pod: the confit that is shipped, as PID 1 of a box, with
// confitctl for its gate and its report, a service account's token that is bound to the pod, a role, and volumes that the kubelet's own
// writer swaps at some moment within five seconds. The API server and etcd are real ones.
//
//	main_test.go                   builds the programs
//	pod_test.go, memory_test.go    a pod, and the kubelet's part in its life
//	fleet_test.go                  the pods of a fleet, and its edits
//	history_test.go                every state that the Lease went through, and what must hold in each
//	node_test.go, verb_test.go     the kubelet's part that kubectl confit needs, and its verbs as people run them
//	edit_, memory_ …               the cases; those of one API server run side by side
//
// make fleet runs it.
package fleet

import (
	"errors"
	"path/filepath"
	"testing"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

// programs are built once, before the first test, into the directory dir. All are static: they are all that is in a pod.
var programs struct{ dir, kubelet string }

func TestMain(m *testing.M) { harness.Main(m, nil, build) }

func build(dir string) (err error) {
	removeOldGroups()
	programs.dir = dir
	root, err := harness.Root()
	if err != nil {
		return err
	}
	if programs.kubelet, err = harness.BuildKubelet(dir); err != nil {
		return err
	}
	static := []string{"CGO_ENABLED=0"}
	return errors.Join(
		harness.BuildConfit(filepath.Join(dir, "confit")),
		harness.GoBuild(filepath.Join(root, "confitctl"), filepath.Join(dir, "confitctl"), static, "-trimpath", "-ldflags", "-s -w"),
		harness.GoBuild(filepath.Join(root, "kubectl-confit"), filepath.Join(dir, "kubectl-confit"), static, "-trimpath", "-ldflags", "-s -w"),
		harness.GoBuild(filepath.Join(root, "kubectl-confit/internal/scripted/node"), filepath.Join(dir, "node"), static),
		harness.GoBuild(filepath.Join(root, "integration/fleet/app"), filepath.Join(dir, "app"), static))
}

// TestFleet has cases whose fleets don't disturb each other.
func TestFleet(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	for name, test := range map[string]func(*testing.T, *cluster.Cluster){
		"edit": testEdit, "lost": testLost, "hands": testHands, "scale": testScale,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c.For(t))
		})
	}
}
