package process

import (
	"errors"
	"fmt"
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

// Gone reports that a signal found nobody: the process has ended, and is about
// to be reaped.
func Gone(err error) bool { return errors.Is(err, unix.ESRCH) }
