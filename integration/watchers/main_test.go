//go:build check

// Package watchers holds what confit promises to apps that watch their files by themselves: services on the libraries that are used
// for it, each with its configuration as one key below the real confit as PID 1, on a volume that the kubelet's own writer swaps.
//
// services_test.go has the services, site_test.go how one is run and asked; watchers_test.go says what is done to them. What each
// library needs stands in docs/daemons.md.
package watchers

import (
	"errors"
	"flag"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// programs are those under test, built once.
var programs struct{ dir, confit, kubelet string }

func TestMain(m *testing.M) { harness.Main(m, nil, prepare) }

func prepare(dir string) (err error) {
	flag.Parse()
	programs.dir, programs.confit = dir, filepath.Join(dir, "confit")
	if programs.kubelet, err = harness.BuildKubelet(dir); err != nil {
		return err
	}
	for _, app := range []string{"viper", "fsnotify"} {
		err = errors.Join(err, harness.GoBuild("apps/"+app, filepath.Join(dir, app), []string{"GOWORK=off", "CGO_ENABLED=0"}))
	}
	return errors.Join(err, flag.Set("test.parallel", "8"), harness.BuildConfit(programs.confit)) // most of the time all of them wait
}
