package signals

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Inherited is what confit was started with, and what it starts others with.
type Inherited struct {
	blocked set
	exact   bool   // the entry point has noted it
	tell    func() // of signals that came in on another thread than admit's
}

// The entry point writes these before there is a Go runtime. Without an entry
// point they stay 0.
var (
	blockedAtEntry        set
	environAt             *byte // the first variable
	environCount          uint64
	handlerAt, restorerAt uintptr // code for sigaction(2)
	entered               uint64  // 1 once the entry point has run
)

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
