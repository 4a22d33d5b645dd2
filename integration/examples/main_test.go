// Package examples runs what is in examples/, so that none of it can rot: each test builds the image that the example's Dockerfile
// describes, mounts the ConfigMaps of its kubernetes.yaml as the kubelet does, and starts the image's ENTRYPOINT as PID 1. Then it
// edits a key, spoils it, mends it and stops the container.
//
// The image is an overlay over this machine, so that Debian's packages are in it and nothing that the example writes stays.
//
//	dockerfile_test.go  what a Dockerfile says
//	manifest_test.go    what a manifest says
//	container_test.go   an image, its volumes, and a container
//	clients_test.go     what asks the services
//	examples_test.go    the examples, and what happens to each
//	readme_test.go      the README, from its first command to its last
//	fluentd_test.go     events all the time, through ten reloads
package examples

import (
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// confitPath is that of the program under test, built once.
var confitPath string

func TestMain(m *testing.M) {
	harness.Main(m, nil, func(dir string) error {
		confitPath = filepath.Join(dir, "confit")
		return harness.BuildConfit(confitPath)
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
