package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// isolate runs the node in namespaces of its own. When it returns, none of the node's processes and mounts is left: the
// kernel ends them with their PID 1.
func (s settings) isolate(ctx context.Context) error {
	setup, err := json.Marshal(s)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // Pdeathsig is sent when the thread that started the child ends: prctl(2)
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{initRole, string(setup)}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		Setsid:    true, // out of the reach of the terminal's ^C
		Pdeathsig: syscall.SIGKILL,
	}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case errors.As(err, &exit) && exit.Exited():
		return &harness.InnerError{Code: exit.ExitCode()}
	}
	return err
}

// beInit is PID 1 of the node: it waits for all that comes to it, and ends with the one that takes the steps.
func beInit(setup string) error {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("cannot make the mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("cannot mount /proc: %w", err)
	}
	node, err := os.StartProcess("/proc/self/exe", []string{nodeRole, setup}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case pid == node.Pid && status.Exited() && status.ExitStatus() == 0:
			return nil
		case pid == node.Pid && status.Exited():
			return &harness.InnerError{Code: status.ExitStatus()}
		case pid == node.Pid:
			return fmt.Errorf("the node's process was ended by signal %d", status.Signal())
		}
	}
}
