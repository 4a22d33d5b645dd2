//go:build conformance

// Package conformance puts the same questions to four inits: confit and the three small ones that containers run today, tini,
// dumb-init and catatonit. Each runs as PID 1 of a fresh PID namespace. What comes out is a table, testdata/table.txt, which
// docs/conformance.md explains; go test -update writes both anew.
//
// The apps below the inits are shell and perl, which every Debian has: a program in Go would hide which signals it was
// started with.
package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"confit/integration/world"
)

const roleVariable = "CONFORMANCE_ROLE"

// roles are the parts that the test binary plays in a process of its own. One that isn't known is an error, so that a
// misspelt one never runs the whole suite inside itself.
var roles = map[string]func() int{
	"enter":  enter,  // sets a namespace up, then becomes the init
	"family": family, // PID 1 on confit's own package for processes
}

// programs are made once, in a directory that every user may enter.
var programs struct{ dir, confit, goReap string }

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(roleVariable); ok {
		role, known := roles[name]
		if !known {
			fmt.Fprintf(os.Stderr, "conformance: %s=%q is not known\n", roleVariable, name)
			os.Exit(125)
		}
		os.Exit(role())
	}
	world.EnterAsRoot()
	flag.Parse()
	// Most cases wait for others most of the time.
	_ = flag.Set("test.parallel", "8")
	os.Exit(suite(m))
}

func suite(m *testing.M) int {
	defer func() { _ = world.Leave() }()
	dir, err := os.MkdirTemp("", "programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	programs.dir = dir
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	return m.Run()
}

// build makes confit as it is shipped, also in a run with the race detector: what is compared here is the program that
// people run.
func build() error {
	if err := os.Chmod(programs.dir, 0o755); err != nil {
		return err
	}
	programs.confit = filepath.Join(programs.dir, "confit")
	programs.goReap = filepath.Join(programs.dir, "goreap")
	goReap := exec.Command("go", "build", "-o", programs.goReap, ".")
	goReap.Dir, goReap.Env = "goreap", append(os.Environ(), "CGO_ENABLED=0")
	for _, cmd := range []*exec.Cmd{exec.Command("../../build.sh", programs.confit), goReap} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("cannot build, %q: %w\n%s", cmd.Args, err, out)
		}
	}
	return nil
}
