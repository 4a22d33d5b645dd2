package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// contain runs the measurements in a box and returns their exit code. So nothing is left behind, whatever happens: when the
// process in there ends or is killed, the kernel kills all others before it is gone, and drops the mounts. Only the directory
// and the cgroups remain to be removed here.
func contain(args []string) (code int, err error) {
	const failed = 1
	self, err := os.Executable()
	if err != nil {
		return failed, err
	}
	dir, err := os.MkdirTemp("", "confit-bench-")
	if err != nil {
		return failed, err
	}
	defer func() { err = errors.Join(err, removeGroups(dir), os.RemoveAll(dir)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)

	inside, err := harness.Command{
		Argv: append([]string{self, "role:measure", dir}, args...), Env: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}.Start()
	if err != nil {
		return failed, fmt.Errorf("%w (it needs root)", err)
	}
	select {
	case <-inside.Ended():
	case <-stop:
	}
	inside.Close()
	if code = inside.State().ExitCode(); code < 0 {
		return failed, errors.New("stopped")
	}
	return code, nil
}
