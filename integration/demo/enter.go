package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// enter is the first process of the container's PID and mount namespaces: it goes inside and becomes the command, which gets
// none of the stage's privileges unless it is root's.
func enter(root string, command []string) error {
	runtime.LockOSThread() // capabilities are a thread's
	if err := mount("proc", box(root).in("/proc"), "proc", 0); err != nil {
		return err
	}
	if err := unix.Chroot(root); err != nil {
		return fmt.Errorf("cannot chroot into %q: %w", root, err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot drop ambient capabilities: %w", err)
	}
	return fmt.Errorf("cannot run %q: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
}
