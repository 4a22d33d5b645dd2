package signals

import (
	"os/signal"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Inherited is what a process was started with, and its children are to be
// started with again: a set of signals is a mask, the lowest bit being signal 1.
type Inherited struct {
	ignored, blocked uint64
	exact            bool // both are known, from the entry point
}

// What the entry point has noted. All of it was written before there was a Go
// runtime; without an entry point it is all 0.
var (
	ignoredAtEntry, blockedAtEntry uint64
	environAt                      *byte // the first variable
	environCount                   uint64
	handlerAt, restorerAt          uintptr // code for sigaction(2)
	entered                        uint64  // 1 once the entry point has run
)

// atStart is what confit was started with. It is asked before os/signal is told
// anything. Without the entry point it is what the Go runtime left of it: HUP
// and INT, if they were ignored.
func atStart() Inherited {
	if entered == 1 {
		return Inherited{ignored: ignoredAtEntry, blocked: blockedAtEntry, exact: true}
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

// Restore gives this process the mask that it was started with, and ignores
// what its parent lists (see Ignored), for the program that it is about to
// become by execve(2). It goes past the Go runtime, so nothing but the exec may
// follow.
func Restore(ignored string) {
	set, _ := strconv.ParseUint(ignored, 16, 64)
	for sig := Signal(1); sig <= rtMax; sig++ {
		action := sigaction{}
		if set&bit(sig) != 0 {
			action.handler = ignore
		}
		action.set(sig)
	}
	if entered == 1 {
		runtime.LockOSThread()
		setMask(blockedAtEntry) // what has come in meanwhile has its default action now
	}
}
