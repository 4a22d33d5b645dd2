package testenv

import (
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lastSignal is the highest number that Linux has; 32 and 33, of which the C library keeps, count as well.
const lastSignal = 64

// ignored names the signals that the suite was started to ignore.
const ignored = "WORLD_IGNORED"

// keyboard are those that nohup(1) and shells without job control make a program ignore, for good reasons of the caller's.
var keyboard = map[string]os.Signal{"HUP": unix.SIGHUP, "INT": unix.SIGINT}

func ignoredSignals() string {
	var names []string
	for name, sig := range keyboard {
		if signal.Ignored(sig) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// keepIgnoring keeps the suite from dying of them, by a handler: unlike an ignored signal it isn't inherited.
func keepIgnoring() {
	for name := range strings.SplitSeq(os.Getenv(ignored), ",") {
		if sig, known := keyboard[name]; known {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// ResetSignals gives every signal its default action and blocks none on this thread. The Go runtime doesn't survive it for
// long: an exec has to follow.
func ResetSignals() error {
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		if sig == unix.SIGKILL || sig == unix.SIGSTOP { // nobody may change these
			continue
		}
		if err := SetAction(sig, Default); err != nil {
			return err
		}
	}
	return Block()
}

// Actions of sigaction(2) that need no handler.
const (
	Default uintptr = 0 // SIG_DFL
	Ignore  uintptr = 1 // SIG_IGN
)

// SetAction changes a signal's action past the Go runtime, which has a handler for nearly every signal and never gives the
// default action back.
func SetAction(sig syscall.Signal, action uintptr) error {
	raw := [8]uintptr{action} // struct sigaction, larger than on any architecture: no flags, no mask
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&raw)), 0, 8, 0, 0)
	runtime.KeepAlive(&raw)
	if errno != 0 {
		return errno
	}
	return nil
}

// Block makes these the signals that this thread blocks, and no others.
func Block(signals ...syscall.Signal) error {
	var set unix.Sigset_t
	for _, sig := range signals {
		*(*uint64)(unsafe.Pointer(&set)) |= 1 << (sig - 1)
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, &set, nil)
}
