// Package daemons holds confit's promise, that a bad edit never takes a running app down, on the daemons that containers
// run: each of Debian's packages below the real confit as PID 1, on a volume that is swapped as the kubelet does it. A
// prober asks the service all the time, so what a client would have noticed is a number.
//
// One file a daemon says how it is run, told, checked and asked; scenarios_test.go says what is done to them. What their
// clients notice is written to docs/bad-edits.md by go test -count=3 -run 'Good|validated|rolled' -update.
package daemons

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"confit/integration/world"
)

// roleVariable makes this test binary the first process of a box. It must not start with CONFIT_, which confit reads itself.
const roleVariable = "DAEMONS_ROLE"

var update = flag.Bool("update", false, "write docs/bad-edits.md anew")

// confitPath is that of the program under test, built once.
var confitPath string

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleVariable); ok {
		if role != "enter" {
			fmt.Fprintf(os.Stderr, "daemons: %s=%q is not known\n", roleVariable, role)
			os.Exit(125)
		}
		os.Exit(enter())
	}
	world.EnterAsRoot()
	flag.Parse()
	parallel := "8" // most of the time all of them wait
	if *update {
		parallel = "1" // what is written down is measured without the others
	}
	_ = flag.Set("test.parallel", parallel)
	code, err := suite(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "daemons:", err)
		code = 1
	}
	_ = world.Leave()
	os.Exit(code)
}

func suite(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "program-")
	if err != nil {
		return 1, err
	}
	confitPath = filepath.Join(dir, "confit")
	if out, err := exec.Command("../../build.sh", confitPath).CombinedOutput(); err != nil {
		return 1, fmt.Errorf("cannot build confit: %w\n%s", err, out)
	}
	if code := m.Run(); code != 0 || !*update {
		return code, nil
	}
	return 0, writeReport()
}
