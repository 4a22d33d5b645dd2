package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// contain runs the measurements in namespaces of their own and returns their exit code. So nothing is left behind, whatever
// happens: when the process in there ends or is killed, the kernel kills all others before it is gone, and drops the
// mounts. Here remains to remove the directory.
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
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)

	cmd := exec.Command(self, append([]string{"role:enter", self, "role:measure", dir}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespaces()
	if err := cmd.Start(); err != nil {
		return failed, fmt.Errorf("cannot make namespaces (it needs root): %w", err)
	}
	go func() {
		<-stop
		_ = cmd.Process.Kill() // it may have ended
	}()
	_ = cmd.Wait() // the code says it all
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		return failed, errors.New("stopped")
	}
	return code, nil
}

// namespaces makes a child the PID 1 of a PID namespace, and ends it with the thread that started it.
func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, Pdeathsig: unix.SIGKILL}
}

// enter is the first process of such namespaces: it gives them their /proc and becomes the program. confit looks there for
// the signals that the app catches.
func enter(argv []string) int {
	err := errors.Join(
		unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""))
	if err == nil {
		err = syscall.Exec(argv[0], argv, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "enter:", err)
	return 125
}
