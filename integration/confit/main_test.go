// Package confit runs the real confit as PID 1 of a fresh PID namespace, on volumes written by the kubelet's own
// AtomicWriter, beside real daemons. It knows nothing of confit's inside: what is not in a log line, an exit code, a file or
// a signal can't be tested here, and can't be seen by a user either.
//
// The first word of a file's name says what it holds: pid1 what an init owes, entry what an edit waits for while a script works in front of
// the app, swap what a change of a volume does, badedit what a bad one doesn't, ladder what confit goes back to when the app dies of what was
// accepted, crash what a killed confit, a full disk or a meddler leaves, source what an environment and rendered files add, fleet what several
// replicas do together with confitctl, pod how an image and a pod use it. The harness is in internal/harness.
package confit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// roles are the parts that the test binary plays in a process of its own.
var roles = harness.Roles{
	"app":     harness.App,     // a small daemon
	"tracer":  harness.Tracer,  // kills confit at a chosen system call
	"hog":     hog,             // takes every inotify instance of its user
	"say":     say,             // speaks sd_notify, and waits until it was heard
	"shout":   shout,           // doesn't wait
	"babble":  babble,          // doesn't stop
	"silence": harness.Silence, // a mount that doesn't answer
	"answers": answers,         // reads, and answers what it reads
}

// programs are built once, before the first test.
var programs struct{ confit, shipped, confitctl, kubelet, app, unruly string }

func TestMain(m *testing.M) { harness.Main(m, roles, buildAll) }

// buildAll puts everything that a test runs into one directory.
func buildAll(dir string) (err error) {
	programs.shipped = filepath.Join(dir, "shipped")
	programs.confitctl = filepath.Join(dir, "confitctl")
	programs.app = filepath.Join(dir, "app")
	programs.unruly = filepath.Join(dir, "unruly")
	programs.kubelet, err = harness.BuildKubelet(dir)
	return errors.Join(err, harness.BuildConfit(programs.shipped), harness.BuildConfitctl(programs.confitctl), buildOther(dir), buildUnruly(), harness.CopySelf(programs.app))
}

// raced makes a confit with the race detector the one that is run, and plain that of go install, which has the C library where a C compiler
// is at hand: unless a test asks for the one that is shipped.
var raced, plain = os.Getenv("INTEGRATION_RACE") != "", os.Getenv("INTEGRATION_PLAIN") != ""

func buildOther(dir string) error {
	programs.confit = filepath.Join(dir, "confit")
	switch {
	case raced:
		return harness.GoBuild("../..", programs.confit, nil, "-race")
	case plain:
		return harness.GoBuild("../..", programs.confit, nil)
	}
	programs.confit = programs.shipped
	return nil
}

// buildUnruly needs the C compiler, as the race detector does. A static program forks faster.
func buildUnruly() error {
	if out, err := exec.Command("cc", "-O2", "-static", "-o", programs.unruly, "testdata/unruly.c").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build unruly.c: %w\n%s", err, out)
	}
	return nil
}
