package signals

import (
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Undisturbed does what may wait in the kernel for ever, as for a volume on a network,
// on a thread that takes no signals meanwhile. The kernel hands a signal to any thread
// that doesn't block it, and there it would wait, too: its handler runs when the system
// call is over. Nor does a terminal stop it in the background, by TTOU. What is
// started by do would inherit that, so it must start nothing.
func Undisturbed(do func() error) error {
	runtime.LockOSThread() // the mask is a thread's
	defer runtime.UnlockOSThread()
	var own unix.Sigset_t
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &disturbing, &own)
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &own, nil) }()
	return do()
}

// disturbing are all signals but those of faults, which the kernel ends a process by
// that has them blocked; URG, by which the runtime preempts; and the C libraries'.
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
