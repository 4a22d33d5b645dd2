package signals

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setMask returns the mask before.
func setMask(blocked uint64) (before unix.Sigset_t) {
	set := sigset(blocked)
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &set, &before)
	return before
}

// sigset is a set for the kernel. One word is all of it, signal(7), where there
// is an entry point: on machines of 64 bits.
func sigset(set uint64) (s unix.Sigset_t) {
	*(*uint64)(unsafe.Pointer(&s)) = set
	return s
}

// sigaction is the kernel's struct, which isn't the C library's: rt_sigaction(2).
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

const ignore = 1 // SIG_IGN

// set goes past the Go runtime. KILL and STOP refuse.
func (a sigaction) set(sig Signal) {
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&a)), 0, 8, 0, 0)
	runtime.KeepAlive(&a)
}

func bit(sig Signal) uint64 { return 1 << (sig - 1) }
