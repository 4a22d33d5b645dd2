package signals

import (
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// With the entry point confit has a handler of its own, which writes the
// signal's number to a pipe. os/signal keeps one bit of each signal
// (runtime.sig.mask): of 50 real-time signals that come in at once, which the
// kernel queues, it passes on one. And to subscribe to all signals there takes
// 2 ms, half of what confit needs to start an app.

// queueEnd is where the handler writes to. It has room for 65,536 signals,
// pipe(7); one that finds none is lost.
var queueEnd uintptr //nolint:unused // the handler reads it

// queue passes all signals on but those that a fault raises, which stay with
// the Go runtime.
func queue(children, others chan<- os.Signal) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return err
	}
	queueEnd = uintptr(ends[1])
	var all uint64
	for _, sig := range append(forwarded(), unix.SIGCHLD) {
		if !slices.Contains(faults, sig) {
			handle(sig.(Signal))
			all |= bit(sig.(Signal))
		}
	}
	go receive(all)
	go pass(os.NewFile(uintptr(ends[0]), "signals"), children, others)
	return nil
}

// handle installs the handler. It runs where the Go runtime's would, on the
// stack for signals, and no other comes in between.
func handle(sig Signal) {
	const hasRestorer, onStack, restart = 0x04000000, 0x08000000, 0x10000000 // SA_RESTORER, SA_ONSTACK, SA_RESTART
	a := sigaction{handler: handlerAt, flags: onStack | restart, mask: ^uint64(0)}
	if restorerAt != 0 {
		a.flags |= hasRestorer
		a.restorer = restorerAt
	}
	a.set(sig)
}

// receive has the one thread that signals are let in on, the others have them
// blocked from the entry point on. It does nothing else.
func receive(all uint64) {
	runtime.LockOSThread()
	set := sigset(all)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil)
	select {}
}

// pass sends on what the handler wrote.
func pass(queue *os.File, children, others chan<- os.Signal) {
	var buffer [512]byte
	for {
		n, err := queue.Read(buffer[:])
		for _, number := range buffer[:n] {
			if sig := Signal(number); sig != unix.SIGCHLD {
				others <- sig
				continue
			}
			select {
			case children <- unix.SIGCHLD:
			default: // one is waiting, which is as good as two
			}
		}
		if err != nil {
			return
		}
	}
}

// faults are the signals by which the kernel reports one in the program itself.
// The Go runtime makes a panic of some of them.
var faults = []os.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS}
