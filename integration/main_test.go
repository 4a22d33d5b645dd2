// Package integration runs the real confit as PID 1 of a fresh PID namespace, on volumes written by the kubelet's own
// AtomicWriter, beside real daemons. It knows nothing of confit's inside: what is not in a log line, an exit code, a file or
// a signal can't be tested here, and can't be seen by a user either.
//
// The test binary plays several parts, told by INTEGRATION_ROLE (the variable must not start with CONFIT_, which confit
// reads itself). A part that isn't known is an error, so that a misspelt one never runs the whole suite inside itself.
package integration

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"confit/integration/world"
)

const roleVariable = "INTEGRATION_ROLE"

// roles are the parts that the test binary plays in a process of its own.
var roles = map[string]func() int{
	"enter":   enter,   // sets a namespace up, then becomes confit
	"app":     runApp,  // a small daemon
	"hog":     hog,     // takes every inotify instance of its user
	"tracer":  tracer,  // kills confit at a chosen system call
	"say":     say,     // speaks sd_notify, and waits until it was heard
	"shout":   shout,   // doesn't wait
	"babble":  babble,  // doesn't stop
	"silence": silence, // a mount that doesn't answer
}

// programs are built once, before the first test.
var programs struct{ confit, shipped, kubelet, app, unruly string }

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(roleVariable); ok {
		role, known := roles[name]
		if !known {
			fmt.Fprintf(os.Stderr, "integration: %s=%q is not known\n", roleVariable, name)
			os.Exit(125)
		}
		os.Exit(role())
	}
	world.EnterAsRoot()
	os.Exit(suite(m))
}

func suite(m *testing.M) int {
	defer func() { _ = world.Leave() }()
	if err := buildAll(); err != nil {
		fmt.Fprintln(os.Stderr, "integration:", err)
		return 1
	}
	return m.Run()
}

// buildAll puts everything a test runs into one directory that every user may enter: `go test` keeps its own binary in one
// that only root may.
func buildAll() error {
	dir, err := os.MkdirTemp("", "programs-")
	if err != nil {
		return err
	}
	programs.confit = filepath.Join(dir, "confit")
	programs.shipped = filepath.Join(dir, "shipped")
	programs.app = filepath.Join(dir, "app")
	programs.unruly = filepath.Join(dir, "unruly")
	programs.kubelet = os.Getenv("INTEGRATION_KUBELET")
	return errors.Join(os.Chmod(dir, 0o755), buildConfit(), buildKubelet(dir), buildUnruly(), copySelf())
}

// raced makes a confit with the race detector the one that is run, unless a test asks for the one that is shipped. It needs the C
// library's entry point, so such a confit has none of its own.
var raced = os.Getenv("INTEGRATION_RACE") != ""

// buildConfit builds what is shipped, and what is run if that is another.
func buildConfit() error {
	shipped := build(exec.Command("../build.sh", programs.shipped))
	if !raced {
		programs.confit = programs.shipped
		return shipped
	}
	return errors.Join(shipped, goBuild("..", os.Environ(), []string{"build", "-o", programs.confit, "-race", "."}))
}

// buildKubelet builds the program around the kubelet's writer, unless INTEGRATION_KUBELET names one: it is large, and a CI
// may have built it already.
func buildKubelet(dir string) error {
	if programs.kubelet != "" {
		return nil
	}
	programs.kubelet = filepath.Join(dir, "kubelet")
	return goBuild("kubelet", append(os.Environ(), "CGO_ENABLED=0"), []string{"build", "-o", programs.kubelet, "."})
}

// buildUnruly needs the C compiler, as the race detector does. What is static forks faster.
func buildUnruly() error {
	if out, err := exec.Command("cc", "-O2", "-static", "-o", programs.unruly, "testdata/unruly.c").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build unruly.c: %w\n%s", err, out)
	}
	return nil
}

func goBuild(dir string, environment, args []string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, environment
	return build(cmd)
}

func build(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build, %q: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

func copySelf() error {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer self.Close()
	app, err := os.OpenFile(programs.app, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(app, self)
	return errors.Join(err, app.Close())
}
