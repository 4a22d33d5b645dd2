package process

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kill sends a signal to one process. Pids below 2 are refused: 0 and -1 mean
// groups and everybody in kill(2), and 1 is confit itself.
func Kill(pid int, sig syscall.Signal) error {
	if pid <= 1 {
		return fmt.Errorf("cannot signal pid %d: not a child", pid)
	}
	return unix.Kill(pid, sig)
}

// KillGroup sends a signal to every process of a group.
func KillGroup(pgid int, sig syscall.Signal) error {
	if pgid <= 1 {
		return fmt.Errorf("cannot signal process group %d: not a child's", pgid)
	}
	return unix.Kill(-pgid, sig)
}

// GroupAlive reports whether a group has a member, which may be a zombie.
func GroupAlive(pgid int) bool {
	return pgid > 1 && KillGroup(pgid, 0) != unix.ESRCH
}

// Gone reports that a signal found nobody: the process has ended, and is about
// to be reaped.
func Gone(err error) bool { return errors.Is(err, unix.ESRCH) }
