//go:build check

// Package examples runs what is in examples/, and the blocks of pages, so that none of it can rot. A test of an example builds the image
// that the Dockerfile describes, mounts the ConfigMaps of the kubernetes.yaml as the kubelet does, and starts the image's ENTRYPOINT as
// PID 1. Then it edits a key, spoils it, fixes it and stops the container. A test of a page does the same with the block's links file, or
// runs the block's commands.
//
// The image is an overlay over this machine, so that Debian's packages are in it and nothing that the example writes stays.
//
//	dockerfile_test.go  what a Dockerfile says
//	manifest_test.go    what a manifest says
//	container_test.go   an image, its volumes, and a container
//	clients_test.go     what asks the services
//	examples_test.go    the examples, and what happens to each
//	readme_test.go      the README, from its first command to its last; contributing_test.go has the page for a first change
//	templates_test.go   a variable of nginx's templates
//	fleet_test.go       an API server, for what the fleet's replicas share
//	fluentd_test.go     events all the time, through ten reloads
//	pages_test.go       the blocks of pages, and who runs each
//	recipes_test.go     those of docs/recipes.md, with pair_test.go for a certificate
//	kubernetes_test.go  those of docs/kubernetes.md that no scene of make e2e has
//	laptop_test.go      those of docs/try-it.md and docs/own-app.md
//	daemonlines_test.go those of docs/daemons.md and docs/security.md
//	hookpages_test.go   those of docs/gate.md and docs/reference.md
//	statuspage_test.go  those of docs/status.md
//	operations_test.go  those of docs/operations.md, with gitops_test.go and leaving_test.go
//	debugging_test.go   those of docs/troubleshooting.md
//	monitor_test.go     a Prometheus that scrapes exporters
//	alerts_test.go      what happens to confits, and which alert fires
//	dashboard_test.go   what Grafana would ask that Prometheus
package examples

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"confit/integration/internal/harness"
)

// confitPath is that of the program under test, built once, and selfPath that of this program, which plays a part in boxes.
var confitPath, selfPath string

func TestMain(m *testing.M) {
	harness.Main(m, harness.Roles{"silence": harness.Silence}, func(dir string) error {
		confitPath = filepath.Join(dir, "confit")
		selfPath = filepath.Join(dir, "self")
		return errors.Join(harness.BuildConfit(confitPath), harness.CopySelf(selfPath))
	})
}

// program returns the path of one that a Dockerfile copies.
func program(t *testing.T, name string) string {
	t.Helper()
	if filepath.Base(name) == "confitctl" {
		return confitctl(t)
	}
	return confitPath
}

// confitctl returns the path of confitctl. It is built when the first test asks for it.
func confitctl(t *testing.T) string {
	t.Helper()
	path, err := buildConfitctl()
	must(t, err)
	return path
}

var buildConfitctl = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(confitPath), "confitctl")
	return path, harness.BuildConfitctl(path)
})

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return string(content)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
