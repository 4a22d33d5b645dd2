//go:build check

package apply

import (
	"os/exec"
	"testing"

	"confit/kubectl-confit/internal/scripted"
)

// TestScripted asks a server that has the real one's code for owners of fields. make fleet asks the real one the same.
func TestScripted(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	run(t, scripted.Start(t, nil).Kubeconfig(), kubectl, func(*site) {})
}
