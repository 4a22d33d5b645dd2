//go:build fleet

// Package inject puts pods to a real API server that has the policies of examples/inject. What it makes of each stands in golden files,
// which kubectl-confit has to make, too: kubectl-confit/inject/testdata/pods/NAME.yaml is a pod, NAME.want.yaml its spec afterwards.
//
//	main_test.go                    the cases
//	server_test.go, kubectl_test.go the server, and what is asked of it
//	golden_test.go                  the golden files; -update writes them
//	made_test.go                    pods that a seed makes
//	plain_test.go, yaml_test.go     a spec without what the server defaults, as YAML
//	warn_test.go                    what people read
//	refuse_test.go                  what people may not write
//	cost_test.go, large_test.go     what all this costs
//	beside_test.go, others_test.go  who else has a say in what becomes of a pod
//	shared_test.go                  what both policies share; it needs no server
//
// make fleet runs it.
package inject

import "testing"

// TestInject has the policies as kubectl apply -k examples/inject makes them.
func TestInject(t *testing.T) {
	s := startServer(t)
	s.apply("examples/inject")
	s.configure()
	s.untilRewritten("default")
	s.permit() // so that golden files may have what people may not write
	for _, c := range []struct {
		name string
		test func(*server)
	}{
		{"golden", testGolden}, // what it finds is what the others compare with
		{"stored", testStored},
		{"again", testAgain},
		{"warn", testWarn},
		{"audit", testAudit},
		{"without", testWithout},
		{"standard", testStandard},
		{"limits", testLimits},
		{"params", testParams},
		{"invalid", testInvalid},
		{"others", testOthers},
		{"reinvoked", testReinvoked},
		{"large", testLarge},
		{"refuse", testRefuse},            // it has the policy back
		{"cost", testCost},                // of all of them
		{"image volume", testImageVolume}, // it changes the policy, so it is the last
	} {
		t.Run(c.name, func(t *testing.T) { c.test(s.of(t)) })
	}
}
