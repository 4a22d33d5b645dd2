package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndLeftovers sends a signal to what an app left behind: the members of its
// group, and every descendant of confit in whatever group or session. With
// everybody, and only where confit is PID 1, it goes to all processes of the PID
// namespace, also to those that came in from outside (kubectl exec). CONT follows,
// as a stopped process heeds no signal but KILL. A hook's group may be spared; 0: none
// is. EndLeftovers returns what [Leftovers] finds then.
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

// signalDescendants looks for what is below a process among all of them, which may be
// many; below 0 is all of the PID namespace. But who has no child has no descendant.
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

// Leftovers reports whether confit has a child or the group has a member. A
// zombie counts.
func Leftovers(group Group) bool { return hasChild() || GroupAlive(group) }

// hasChild reports whether confit has a child, waitid(2). A zombie counts.
func hasChild() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != unix.ECHILD
}
