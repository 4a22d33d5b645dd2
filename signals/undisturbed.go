package signals

import (
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Undisturbed calls do on a thread that takes no signals meanwhile. The kernel hands a
// signal to any thread that doesn't block it, and the handler waits for the end of a
// system call, which may never come, as for a volume on a network. A terminal doesn't
// stop the thread by TTOU, either. do must start no process: that would inherit the mask.
func Undisturbed(do func() error) error {
	runtime.LockOSThread() // the mask is a thread's
	defer runtime.UnlockOSThread()
	var own unix.Sigset_t
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &disturbing, &own)
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &own, nil) }()
	return do()
}

// disturbing are all signals but those of faults, which end a process that blocks them;
// URG, by which the runtime preempts; and the C libraries'.
var disturbing = func() (mask unix.Sigset_t) {
	for sig := Signal(1); sig <= rtMax; sig++ {
		if !slices.Contains([]Signal{
			unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS, unix.SIGURG, 32, 33, rtMin,
		}, sig) {
			mask.Val[(sig-1)/bits.UintSize] |= 1 << ((sig - 1) % bits.UintSize)
		}
	}
	return mask
}()
