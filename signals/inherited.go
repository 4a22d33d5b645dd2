package signals

import (
	"os/signal"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Inherited is what a process was started with, and its children are to be
// started with again: a set of signals is a mask, the lowest bit being signal 1.
type Inherited struct {
	ignored, blocked uint64
	exact            bool // both are known, from the entry point
}

// started is what the entry point has noted.
var started Inherited

// atStart is what confit was started with. It is asked before os/signal is told
// anything. In a binary without the entry point it is what the Go runtime left of it:
// HUP and INT, if they were ignored.
func atStart() Inherited {
	if started.exact {
		return started
	}
	var in Inherited
	for _, sig := range []Signal{unix.SIGHUP, unix.SIGINT} {
		if signal.Ignored(sig) {
			in.ignored |= bit(sig)
		}
	}
	return in
}

// Ignored lists the ignored signals for [Restore], empty for none: they take a
// process of its own, as the Go runtime gives what is caught its default action
// in a child, and catches nearly every signal.
func (in Inherited) Ignored() string {
	if in.ignored == 0 {
		return ""
	}
	return strconv.FormatUint(in.ignored, 16)
}

// Lend runs start with the mask of signals that confit was started with, which
// a process that is started meanwhile inherits (sigprocmask(2)). A signal that
// comes in meanwhile is caught as always.
func (in Inherited) Lend(start func()) {
	if !in.exact {
		start()
		return
	}
	runtime.LockOSThread() // the mask belongs to a thread
	defer runtime.UnlockOSThread()
	own := setMask(in.blocked)
	start()
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &own, nil)
}

// Restore gives this process what it was started with, and what [Inherited.Ignored]
// of its parent says, for the program that it is about to become (execve(2)).
// It goes past the Go runtime, so nothing but the exec may follow.
func Restore(ignored string) {
	set, _ := strconv.ParseUint(ignored, 16, 64)
	for sig := Signal(1); sig <= rtMax; sig++ {
		setAction(sig, set&bit(sig) != 0)
	}
	if started.exact {
		runtime.LockOSThread()
		setMask(started.blocked) // what has come in meanwhile has its default action now
	}
}

// setMask returns the mask before. One word is the whole set, signal(7), where
// there is an entry point: on machines of 64 bits.
func setMask(blocked uint64) (before unix.Sigset_t) {
	var set unix.Sigset_t
	*(*uint64)(unsafe.Pointer(&set)) = blocked
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &set, &before)
	return before
}

// setAction ignores a signal, or sets its default action. KILL and STOP refuse.
func setAction(sig Signal, ignore bool) {
	var action [8]uint64 // the kernel's struct sigaction: the handler comes first, and no flag is needed
	if ignore {
		*(*uintptr)(unsafe.Pointer(&action)) = 1 // SIG_IGN
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	runtime.KeepAlive(&action)
}

func bit(sig Signal) uint64 { return 1 << (sig - 1) }
