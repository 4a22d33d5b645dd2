package process

import (
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

// Family is what must be remembered of the processes that were started. It
// belongs to one goroutine and needs no lock.
type Family struct {
	hooks map[int]bool // leaders whose group ends with them
}

// NewFamily returns a family without processes.
func NewFamily() *Family { return &Family{hooks: map[int]bool{}} }

// EndHook kills a hook with its group. One that was reaped already is left alone:
// its number may be a stranger's.
func (f *Family) EndHook(pid int) {
	if f.hooks[pid] {
		_ = KillGroup(pid, unix.SIGKILL)
	}
}

// Reap collects every child that has ended and gives each to handle. SIGCHLDs
// coalesce, so one wake may stand for any number of deaths: it goes on until
// the kernel has no more.
//
// Each death is looked at first (WNOWAIT of waitid(2)) and reaped afterwards.
// In between look is called: what the child said is there by then, and it is
// still known who it was. And the zombie of a hook pins the number of its group,
// so the kill can't hit a stranger that was given the number anew.
func (f *Family) Reap(look func(), handle func(Exit)) {
	for pid := peek(); pid != 0; pid = peek() {
		look()
		if f.hooks[pid] {
			_ = KillGroup(pid, unix.SIGKILL) // ESRCH: the leader was the last
		}
		status, err := wait(pid)
		if err != nil {
			return
		}
		delete(f.hooks, pid)
		handle(Exit{PID: pid, Status: status})
	}
}

// wait is wait4(2) for a child that has ended.
func wait(pid int) (Status, error) {
	for {
		var ws unix.WaitStatus
		_, err := unix.Wait4(pid, &ws, unix.WNOHANG, nil)
		if err != unix.EINTR {
			return Status(ws), err
		}
	}
}

// siginfo is the head of siginfo_t as waitid(2) fills it. The empty array
// gives pid the alignment of the union that it stands in.
type siginfo struct {
	signo, errno, code int32
	_                  [0]uintptr
	pid, uid, status   int32
	_                  [100]byte
}

// peek is the pid of a child that has ended and can be waited for, or 0.
func peek() int { return int(waitid(unix.P_ALL, 0, unix.WEXITED|unix.WNOWAIT).pid) }

// stopOf is the signal that has stopped a child since this was last asked, or
// 0. A child that has ended isn't touched: its status is Reap's.
func stopOf(pid int) syscall.Signal {
	return syscall.Signal(waitid(unix.P_PID, pid, unix.WSTOPPED).status)
}

// waitid is waitid(2), without blocking. Nothing is filled in when there is
// nothing to tell.
func waitid(kind, id, options int) (info siginfo) {
	for {
		err := unix.Waitid(kind, id, (*unix.Siginfo)(unsafe.Pointer(&info)), options|unix.WNOHANG, nil)
		if err == nil {
			return info
		}
		if err != unix.EINTR {
			return siginfo{}
		}
	}
}
