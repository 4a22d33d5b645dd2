package signals

import (
	"os"
	"os/signal"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Signals wait in the kernel until the loop asks for them. Those for the app
// are numbers in a pipe, in the order they came in. That a child has changed
// state goes another way, so that it is neither behind them nor crowded out.
//
// With the entry point confit has a handler of its own, which writes to both.
// os/signal keeps one bit of each signal (runtime.sig.mask): of 50 real-time
// signals that come in at once, which the kernel queues, it passes on one. And
// to subscribe to all signals there takes 2 ms, half of what confit needs to
// start an app.
//
// Of several pending signals the kernel delivers the one with the lowest number
// first, so in a flood of USR1 none with a higher number would ever be
// delivered. Therefore the handler, which nothing interrupts, unblocks CHLD when
// it has written: one that is pending has its turn there and then. A TERM that
// came before it (15, CHLD is 17) is in the pipe by that time.

// inboxSize is how many signals os/signal may hand over at once; it drops what
// finds no room.
const inboxSize = 256

func (q *queue) subscribe(children chan<- os.Signal) error {
	list, died := forwarded(), make(chan os.Signal, 1)
	if entered == 1 {
		if err := q.handle(children); err != nil {
			return err
		}
		list = faults
	} else {
		signal.Notify(died, unix.SIGCHLD)
	}
	received := make(chan os.Signal, inboxSize)
	signal.Notify(received, list...)
	go q.fill(received, died, children)
	return nil
}

// Where the handler writes to: a pipe, which has room for 65,536 signals,
// pipe(7), so that one that finds none is lost; and an eventfd(2).
var sentEnd, diedEnd uintptr //nolint:unused // the handler reads them

// handle has confit's own handler take all signals but those that a fault
// raises, which stay with the Go runtime.
func (q *queue) handle(children chan<- os.Signal) error {
	died, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return err
	}
	sentEnd, diedEnd = uintptr(q.end), uintptr(died)
	var all uint64
	for _, sig := range append(forwarded(), unix.SIGCHLD) {
		if !slices.Contains(faults, sig) {
			install(sig.(Signal))
			all |= bit(sig.(Signal))
		}
	}
	go receive(all)
	go watch(os.NewFile(uintptr(died), "children"), children)
	return nil
}

// install makes the handler a signal's. It runs where the Go runtime's would, on
// the stack for signals, and no other but CHLD's comes in between.
func install(sig Signal) {
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

// watch tells of children.
func watch(died *os.File, children chan<- os.Signal) {
	var count [8]byte // all that have died since: eventfd(2)
	for {
		if _, err := died.Read(count[:]); err != nil {
			return
		}
		wake(children)
	}
}

// fill copies what os/signal receives, and tells of children once that is done.
func (q *queue) fill(received, died <-chan os.Signal, children chan<- os.Signal) {
	for {
		select {
		case sig := <-received:
			q.put(sig)
		case <-died:
			for range len(received) { // they came before
				q.put(<-received)
			}
			wake(children)
		}
	}
}

// wake leaves a value, unless one is waiting, which is as good as two.
func wake(children chan<- os.Signal) {
	select {
	case children <- unix.SIGCHLD:
	default:
	}
}
