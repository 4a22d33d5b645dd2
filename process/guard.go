package process

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is this program, also where it was removed.
const self = "/proc/self/exe"

// NeedsGuard reports whether this process may be killed alone, so that somebody else has to end what
// it leaves. With PID 1 all ends, and nobody but [StartGuarded] starts confit by that name.
func NeedsGuard() bool {
	return os.Getpid() != 1 && os.Args[0] != self && executable(self) == nil
}

// StartGuarded runs this program once more, with the same arguments and files, as the leader of a
// session: what is sent to confit's group doesn't end both. When confit ends, however that is, it gets
// TERM: PR_SET_PDEATHSIG of prctl(2). To the kernel the thread that calls this is the parent, so the
// caller keeps it.
func StartGuarded(c Command) (pid int, err error) {
	runtime.LockOSThread()
	c.Args = append([]string{self}, os.Args[1:]...)
	return start(c, []uintptr{0, 1, 2}, &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGTERM})
}
