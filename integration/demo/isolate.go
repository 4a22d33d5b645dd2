package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// isolate runs this program again, with mounts and a network that nobody else sees.
func isolate(confit string) error {
	path, err := exec.LookPath(confit)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("cannot use confit: %w; build it first: make build", err)
	}
	runtime.LockOSThread() // Pdeathsig is sent when the thread that started the child ends: prctl(2)
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{stageRole, path},
		Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: ownNamespaces(),
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, endings...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot make namespaces: %w%s", err, rootHint())
	}
	go func() {
		for s := range interrupts {
			_ = cmd.Process.Signal(s) // the stage tidies up; it may have ended already
		}
	}()
	return inner(cmd.Wait())
}

// endings are the signals that ask the demo to end.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// ownNamespaces are a mount and a network namespace. Those who aren't root get a user namespace, too, in which they keep
// their number and have what the stage needs: mounts, lo, chroot(2). The ambient set hands that on to the programs they run.
func ownNamespaces() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT}
	}
	return attr
}

func rootHint() string {
	if os.Geteuid() == 0 {
		return "; inside a container it has to be a privileged one"
	}
	return "; here only root may: run make demo as root"
}

// inner is the end of the stage. A signal may ask for it before the stage can handle it.
func inner(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	switch {
	case !status.Signaled():
		return &harness.InnerError{Code: status.ExitStatus()}
	case slices.Contains(endings, os.Signal(status.Signal())):
		return errInterrupted
	}
	return fmt.Errorf("the stage was ended: %w", err)
}
