package harness

import (
	"errors"
	"fmt"
	"os"

	"confit/integration/testenv"
)

// Main is what TestMain calls; it never returns. It plays the part that the process was started for, or else makes the environment, lets
// prepare build programs into a directory that every user may enter, and runs the tests.
func Main(tests interface{ Run() int }, roles Roles, prepare func(dir string) error) {
	Play(roles)
	testenv.EnterAsRoot()
	os.Exit(suite(tests, prepare))
}

func suite(tests interface{ Run() int }, prepare func(dir string) error) int {
	defer func() { _ = testenv.Leave() }()
	// `go test` keeps its own binary in a directory that only root may enter.
	dir, err := os.MkdirTemp("", "programs-")
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), prepare(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "harness: cannot prepare the suite:", err)
		return 1
	}
	return tests.Run()
}
