package signals

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is here asks the kernel itself, past the Go runtime.

// set is a set of signals as the kernel writes it: the lowest bit is signal 1.
type set uint64

func only(sig Signal) set { return 1 << (sig - 1) }

func (s set) has(sig Signal) bool { return s&only(sig) != 0 }

// setMask replaces this thread's mask and returns the one before.
func setMask(mask set) (before unix.Sigset_t) {
	now := mask.forKernel()
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &now, &before)
	return before
}

// forKernel fills the first word. Where there is an entry point, on machines of
// 64 bits, that is the whole set, signal(7).
func (s set) forKernel() (mask unix.Sigset_t) {
	*(*set)(unsafe.Pointer(&mask)) = s
	return mask
}

// sigaction is the kernel's struct, which isn't the C library's: rt_sigaction(2).
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     set
}

// install sets a signal's action. The kernel refuses to for KILL and STOP.
func (a sigaction) install(sig Signal) {
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&a)), 0, 8, 0, 0)
	runtime.KeepAlive(&a)
}

// letIn waits with no signal blocked until one has come in, EINTR, or the time is
// over; nil is no end. It is ppoll(2) without files: with x/sys/unix that takes no
// set of signals.
func letIn(timeout *unix.Timespec) error {
	var none set
	_, _, err := unix.Syscall6(unix.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(timeout)), uintptr(unsafe.Pointer(&none)), 8, 0)
	if err != 0 {
		return err
	}
	return nil
}
