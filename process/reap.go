package process

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes confit the parent of orphans where it isn't PID 1,
// PR_SET_CHILD_SUBREAPER of prctl(2).
func BecomeSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Exit is the end of a child: one that confit started, or an orphan.
type Exit struct {
	PID    int
	Status Status
}

// Family remembers what was started. It belongs to one goroutine and needs no lock.
type Family struct {
	hooks map[int]bool // pids; the group of each ends with it
}

// NewFamily returns a family without members.
func NewFamily() *Family { return &Family{hooks: map[int]bool{}} }

// SignalHook sends a signal to a hook and its group, unless it was reaped already:
// then its number may be a stranger's.
func (f *Family) SignalHook(pid int, sig syscall.Signal) {
	if f.hooks[pid] {
		_ = KillGroup(Group(pid), sig)
	}
}

// Reap collects every child that has ended and gives each to handle. One SIGCHLD
// may stand for any number of deaths, so Reap goes on until the kernel has no more.
//
// It looks at each death first (WNOWAIT of waitid(2)) and reaps it afterwards. In
// between it calls look: everything that the child said is there by then, and it
// is still known who the child was. And the zombie of a hook pins the number of
// its group, so the kill can't hit a stranger with the same number.
func (f *Family) Reap(look func(pid int), handle func(Exit)) {
	for pid := peek(); pid != 0; pid = peek() {
		look(pid)
		if f.hooks[pid] {
			_ = KillGroup(Group(pid), unix.SIGKILL) // ESRCH: the leader was the last
		}
		var ws unix.WaitStatus
		if _, err := unix.Wait4(pid, &ws, unix.WNOHANG, nil); err != nil { // what doesn't wait isn't interrupted
			return
		}
		delete(f.hooks, pid)
		handle(Exit{PID: pid, Status: Status(ws)})
	}
}

// siginfo is siginfo_t as waitid(2) fills it. The empty array aligns pid as the
// union of which it is a part.
type siginfo struct {
	signo, errno, code int32
	_                  [0]uintptr
	pid, uid, status   int32
	_                  [100]byte
}

// peek is the pid of a child that has ended and wasn't reaped yet, or 0.
func peek() int { return int(waitid(unix.P_ALL, 0, unix.WEXITED|unix.WNOWAIT).pid) }

// CanReap reports whether the kernel answers waitid(2). A PID 1 that can't wait
// doesn't know when a hook or the app has ended, so it had better not begin.
func CanReap() error {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err == nil || err == unix.ECHILD {
		return nil
	}
	return fmt.Errorf("cannot wait for processes: waitid: %w; allow waitid(2) in the seccomp profile", err)
}

// stopOf is the signal that has stopped a child since the last call, or 0. It
// leaves the status of a child that has ended to Reap.
func stopOf(pid int) syscall.Signal {
	return syscall.Signal(waitid(unix.P_PID, pid, unix.WSTOPPED).status)
}

// waitid is waitid(2), without blocking. The result is empty when there is nothing
// to tell.
func waitid(kind, id, options int) (info siginfo) {
	if unix.Waitid(kind, id, (*unix.Siginfo)(unsafe.Pointer(&info)), options|unix.WNOHANG, nil) != nil {
		return siginfo{}
	}
	return info
}
