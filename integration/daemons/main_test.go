//go:build check

// Package daemons tests confit's promise, that a bad edit never takes a running app down, on the daemons that containers run:
// Debian's packages, and CoreDNS, below the real confit as PID 1, on a volume that is swapped as the kubelet does it. A prober asks the
// service all the time, so what a client would have noticed is a number.
//
// One file for each daemon says how it is run, reloaded, checked and asked; scenarios_test.go says what happens to them, and
// page_test.go holds the rows of docs/daemons.md. As root, on a machine that does nothing else, in some ten minutes,
// go test -count=3 -timeout 30m -run 'Good|validated|rolled' ./integration/daemons -update writes what their clients notice there.
package daemons

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

var update = flag.Bool("update", false, "write anew what clients notice, in docs/daemons.md")

// confitPath is that of the program under test, built once. The daemons that Debian lacks are built beside it.
var confitPath string

func TestMain(m *testing.M) { harness.Main(reporting{m}, nil, prepare) }

func prepare(dir string) error {
	flag.Parse()
	parallel := "8" // most of the time all of them wait
	if *update {
		parallel = "1" // what is written down is measured without the others
	}
	confitPath = filepath.Join(dir, "confit")
	return errors.Join(flag.Set("test.parallel", parallel), os.Setenv("PATH", dir+":"+os.Getenv("PATH")),
		harness.BuildConfit(confitPath), buildCoreDNS(filepath.Join(dir, "coredns")))
}

// reporting runs the tests, and with -update writes down what they measured.
type reporting struct{ *testing.M }

func (r reporting) Run() int {
	if code := r.M.Run(); code != 0 || !*update {
		return code
	}
	if err := writeReport(); err != nil {
		fmt.Fprintln(os.Stderr, "daemons:", err)
		return 1
	}
	return 0
}
