package signals

import (
	"os"
	"os/signal"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Signals wait in the kernel until the loop asks for them. Those for the app
// are numbers in a pipe, in the order in which they came in. The news of a child
// goes another way, so that it is neither behind them nor crowded out.
//
// With the entry point confit has a handler of its own, which writes to the pipe.
// os/signal keeps one bit for each signal (runtime.sig.mask): of 50 real-time
// signals that come in at once, all of which the kernel queues, it passes on one.
// And to subscribe there to all signals takes 2 ms, half of what confit needs to
// start an app.
//
// Of several pending signals the kernel delivers the lowest number first, so a
// flood of USR1 would keep back all signals with a higher number. Therefore the
// handler, which nothing interrupts, unblocks CHLD (17) when it has written: a
// pending CHLD has its turn at once. Of CHLD it writes nothing: who waits wakes, and
// looks at the children.

// inboxSize is how many signals os/signal may hand over at once; it drops what
// finds no room.
const inboxSize = 256

// subscribe fills the queue from now on, by confit's handler where there is one.
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

// sentEnd is of a pipe, which has room for 65,536 signals (pipe(7)) and loses what
// finds none.
var sentEnd uintptr //nolint:unused // the handler reads it

// handle gives all signals to confit's own handler but those that a fault
// raises, which stay with the Go runtime.
func (q *queue) handle(children chan<- os.Signal) error {
	sentEnd = uintptr(q.end)
	for _, sig := range append(forwarded(), unix.SIGCHLD) {
		if !slices.Contains(faults, sig) {
			catch(sig.(Signal))
		}
	}
	if err := letIn(&unix.Timespec{}); err != nil && err != unix.EINTR {
		return os.NewSyscallError("ppoll", err)
	}
	go q.admit(children)
	return nil
}

// catch gives a signal to the handler, which runs on the runtime's stack for
// signals. Only CHLD interrupts it.
func catch(sig Signal) {
	const hasRestorer, onStack, restart = 0x04000000, 0x08000000, 0x10000000 // SA_RESTORER, SA_ONSTACK, SA_RESTART
	a := sigaction{handler: handlerAt, flags: onStack | restart, mask: ^set(0)}
	if restorerAt != 0 {
		a.flags |= hasRestorer
		a.restorer = restorerAt
	}
	a.install(sig)
}

// admit waits until signals come in, and tells of them. Each thread has them
// blocked from the entry point on, but for ppoll(2): so they wake the thread that
// then goes on with who hears of them, and no other has to be woken.
func (q *queue) admit(children chan<- os.Signal) {
	for {
		q.tell(children)
		runtime.Gosched() // who hears comes first
		admitAll()
	}
}

// tell tells of signals, and of children without a look whether any has ended.
func (q *queue) tell(children chan<- os.Signal) {
	q.hint()
	wake(children)
}

// admitAll lets in what waits, one signal at a time and CHLD behind each. So those
// that came before a child's end are in the pipe when it is told.
func admitAll() {
	var timeout *unix.Timespec // at first it waits for ever
	for range inboxSize {
		if letIn(timeout) == nil {
			return
		}
		timeout = &unix.Timespec{}
	}
}

// fill puts what os/signal receives into the queue, and tells of a child only
// after that.
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

// wake leaves a value. If one waits already, that is enough.
func wake(children chan<- os.Signal) {
	select {
	case children <- unix.SIGCHLD:
	default:
	}
}
