package signals

import (
	"os/signal"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Inherited is what confit was started with, and what it starts others with.
type Inherited struct {
	ignored, blocked set
	exact            bool   // the entry point has noted both
	tell             func() // of signals that came in on another thread than admit's
}

// The entry point writes these before there is a Go runtime. Without an entry
// point they stay 0.
var (
	ignoredAtEntry, blockedAtEntry set
	environAt                      *byte // the first variable
	environCount                   uint64
	handlerAt, restorerAt          uintptr // code for sigaction(2)
	entered                        uint64  // 1 once the entry point has run
)

// atStart is what confit was started with. It has to be asked before os/signal
// is told anything. Without the entry point it is what the Go runtime leaves:
// HUP and INT stay ignored if they were.
func atStart() Inherited {
	if entered == 1 {
		return Inherited{ignored: ignoredAtEntry, blocked: blockedAtEntry, exact: true}
	}
	var in Inherited
	for _, sig := range []Signal{unix.SIGHUP, unix.SIGINT} {
		if signal.Ignored(sig) {
			in.ignored |= only(sig)
		}
	}
	return in
}

// Ignored writes the set of ignored signals for [Restore]; "" is the empty set.
// To ignore a signal takes code in the new process: the Go runtime catches nearly
// every signal, and what is caught has its default action in a child.
func (in Inherited) Ignored() string {
	if in.ignored == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(in.ignored), 16)
}

// Lend runs start with the mask that confit was started with: a new process has
// that of the thread which starts it (sigprocmask(2)). Signals that come in
// meanwhile are caught as always.
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
	in.tell()
}

// Restore prepares this process for execve(2): it has the mask that it was
// started with again, it ignores the signals that its parent wrote by Ignored,
// and every other signal has its default action. This goes past the Go runtime,
// so nothing but execve(2) may follow.
func Restore(ignored string) {
	written, _ := strconv.ParseUint(ignored, 16, 64)
	for sig := Signal(1); sig <= rtMax; sig++ {
		action := sigaction{}
		if set(written).has(sig) {
			action.handler = ignore
		}
		action.install(sig)
	}
	if entered == 1 {
		runtime.LockOSThread()
		setMask(blockedAtEntry) // what has come in meanwhile has its default action now
	}
}
