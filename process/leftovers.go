package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndLeftovers sends a signal to what an app that is gone left behind: the
// members of its group, and every descendant of confit, in whatever group or
// session. With everybody, and only where confit is PID 1, the signal goes to
// all processes of the PID namespace, also those that came in from outside
// (kubectl exec). CONT follows, as a stopped process acts on no signal but
// KILL. It reports whether confit has a child left, a zombie included, or the
// group a member.
func EndLeftovers(group int, sig syscall.Signal, everybody bool) (left bool) {
	if everybody && os.Getpid() == 1 {
		_ = unix.Kill(-1, sig) // everybody but the caller and PID 1, kill(2)
		_ = unix.Kill(-1, unix.SIGCONT)
	} else {
		_ = KillGroup(group, sig)
		_ = KillGroup(group, unix.SIGCONT)
		for _, pid := range descendants(os.Getpid()) {
			_ = Kill(pid, sig)
			_ = Kill(pid, unix.SIGCONT)
		}
	}
	return Leftovers(group)
}

// Leftovers reports whether confit has a child, a zombie included, or the group
// a member.
func Leftovers(group int) bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err != unix.ECHILD || GroupAlive(group)
}
