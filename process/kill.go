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

// Kill sends a signal to one process. It refuses pids below 2: to kill(2), 0 and negative ones mean groups or all processes; 1 is confit.
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

// Reach is the [Refusal] of a signal for a process: confit needs the same user or CAP_KILL, kill(2).
func Reach(pid int) error { return Refusal(Kill(pid, 0)) }

// Refusal is the error of a signal that confit may not send, with what to do about it; for every other outcome it is nil.
func Refusal(err error) error {
	if !errors.Is(err, os.ErrPermission) {
		return nil
	}
	return fmt.Errorf("cannot signal the app: %w; add the capability KILL, run confit as the app's user, or write reload exec:COMMAND", err)
}

// EndLeftovers sends a signal to what an app left behind: the members of its group, and every descendant of confit. With everybody, and
// only if confit is PID 1, it signals all processes of the PID namespace, also those of kubectl exec. CONT follows, as a stopped process
// takes no signal but KILL. The group of a hook may be spared; 0: none is. EndLeftovers returns what [Leftovers] finds then.
func EndLeftovers(group Group, sig syscall.Signal, everybody bool, spared Group) (left bool) {
	switch everybody = everybody && os.Getpid() == 1; {
	case everybody && spared == 0:
		_ = unix.Kill(-1, sig) // everybody but the caller and PID 1, kill(2)
		_ = unix.Kill(-1, unix.SIGCONT)
	case everybody:
		signalDescendants(0, sig, spared)
	default:
		_ = KillGroup(group, sig)
		_ = KillGroup(group, unix.SIGCONT)
		signalDescendants(os.Getpid(), sig, spared)
	}
	return Leftovers(group)
}

// signalDescendants signals the processes below another one; below 0 are all of the namespace. It looks at all, unless confit has no child.
func signalDescendants(of int, sig syscall.Signal, spared Group) {
	if !hasChild() {
		return
	}
	for _, pid := range descendants(of) {
		if s, ok := readStat(pid); spared != 0 && ok && s.group == spared {
			continue
		}
		_ = Kill(pid, sig)
		_ = Kill(pid, unix.SIGCONT)
	}
}

// Leftovers reports whether confit has a child or the group has a member. A zombie counts.
func Leftovers(group Group) bool { return hasChild() || GroupAlive(group) }

// hasChild reports whether confit has a child, waitid(2). A zombie counts.
func hasChild() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != unix.ECHILD
}
