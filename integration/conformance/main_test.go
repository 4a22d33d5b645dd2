//go:build conformance

// Package conformance puts the same questions to four inits: confit and the three small ones that containers run today, tini,
// dumb-init and catatonit. Each runs as PID 1 of a fresh PID namespace. The answers are a table, testdata/table.md, which
// go test -update writes anew. docs/internals/conformance.md says why confit fails what it fails.
//
// The apps below the inits are shell and perl, which every Debian has: a Go program would hide the signals that it was started
// with.
package conformance

import (
	"errors"
	"flag"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// programs are made once, in a directory that every user may enter.
var programs struct{ confit, goReap string }

func TestMain(m *testing.M) {
	// family is PID 1 on confit's own package for processes.
	harness.Main(m, harness.Roles{"family": family}, build)
}

// build makes confit as it is shipped, also in a run with the race detector: what is compared here is the program that
// people run.
func build(dir string) error {
	flag.Parse()
	programs.confit = filepath.Join(dir, "confit")
	programs.goReap = filepath.Join(dir, "goreap")
	return errors.Join(
		flag.Set("test.parallel", "8"), // most cases wait for others most of the time
		harness.BuildConfit(programs.confit),
		harness.GoBuild("goreap", programs.goReap, []string{"CGO_ENABLED=0"}))
}
