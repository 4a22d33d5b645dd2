package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group is the number of a process group. Of a process that leads one it is the
// pid, too.
type Group int

// Kill sends a signal to one process. It refuses pids below 2: to kill(2) 0 and
// -1 mean groups and everybody, and 1 is confit itself.
func Kill(pid int, sig syscall.Signal) error {
	if pid <= 1 {
		return fmt.Errorf("cannot signal pid %d: not a child", pid)
	}
	return unix.Kill(pid, sig)
}

// KillGroup sends a signal to every process of a group.
func KillGroup(group Group, sig syscall.Signal) error {
	if group <= 1 {
		return fmt.Errorf("cannot signal process group %d: not a child's", group)
	}
	return unix.Kill(-int(group), sig)
}

// GroupAlive reports whether a group has a member, which may be a zombie.
func GroupAlive(group Group) bool {
	return group > 1 && KillGroup(group, 0) != unix.ESRCH
}

// Reach finds out whether confit may signal a process, which takes its user or
// CAP_KILL (kill(2)). An error is a refusal; a process that is gone is none.
func Reach(pid int) error { return Refusal(Kill(pid, 0)) }

// Refusal is the error of a signal that the kernel refused to send, with what to do
// about it; of every other outcome it is nil.
func Refusal(err error) error {
	if !errors.Is(err, os.ErrPermission) {
		return nil
	}
	return fmt.Errorf("cannot signal the app: %w; add the capability KILL, run confit as the app's user, or write reload exec:COMMAND", err)
}

// Gone reports that a signal found nobody: the process has ended, and is about
// to be reaped.
func Gone(err error) bool { return errors.Is(err, unix.ESRCH) }
