package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group is the number of a process group: the pid of its leader.
type Group int

// Kill sends a signal to one process. It refuses pids below 2: to kill(2), 0 and negative ones mean
// groups or all processes; 1 is confit.
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

// Reach is the [Refusal] of a signal for a process: confit needs the same user or CAP_KILL,
// kill(2).
func Reach(pid int) error { return Refusal(Kill(pid, 0)) }

// Refusal is the error of a signal that confit may not send, with what to do about it; for every
// other outcome it is nil.
func Refusal(err error) error {
	if !errors.Is(err, os.ErrPermission) {
		return nil
	}
	return fmt.Errorf(
		"cannot signal the app: %w; add the capability KILL, or run confit as the app's user; without either only reload exec:COMMAND takes an edit",
		err)
}
