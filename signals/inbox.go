package signals

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// inboxSize is how many signals may wait while the loop is busy. The kernel
// keeps one of each standard signal; os/signal drops what finds no room, and
// with the entry point the rest waits in front of it, see queue.go.
const inboxSize = 256

// Inbox receives the signals that are sent to confit.
type Inbox struct {
	// Children holds a value when a child has changed state. It is a channel
	// of its own, so that a burst of other signals can't crowd a SIGCHLD out;
	// one place is enough, as every wake reaps all there is.
	Children <-chan os.Signal
	// Others holds the signals that are meant for the app, in the order they
	// came in.
	Others <-chan os.Signal
	// Inherited is for the processes that confit starts.
	Inherited Inherited
}

// Subscribe takes over every signal that can be caught. It is the first thing
// that main does: signals wait for it from the entry point on, and without one
// a Go program that is PID 1 exits with 2 on a TERM, HUP or QUIT that nobody
// subscribed to, where the kernel would have dropped it.
//
// SIGURG is the Go runtime's own (golang/go#37942) and isn't subscribed to.
func Subscribe() Inbox {
	inherited := atStart()
	children := make(chan os.Signal, 1)
	others := make(chan os.Signal, inboxSize)
	if entered == 1 && queue(children, others) == nil {
		signal.Notify(others, faults...)
	} else {
		signal.Notify(children, unix.SIGCHLD)
		signal.Notify(others, forwarded()...)
	}
	// Subscribed so that a closed stderr can't end confit, but read by nobody:
	// the SIGPIPE of confit's own write can't be told from one that was sent.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return Inbox{Children: children, Others: others, Inherited: inherited}
}

// forwarded lists the signals that are passed on to the app. Of these, PROF
// and RTMIN come in only with the entry point: the Go runtime keeps one for its
// profiler (runtime.sighandler) and leaves the other to musl (golang/go#39343).
func forwarded() []os.Signal {
	var list []os.Signal
	for sig := Signal(1); sig <= rtMax; sig++ {
		switch sig {
		case unix.SIGKILL, unix.SIGSTOP: // can't be caught, signal(7)
		case unix.SIGCHLD, unix.SIGURG, unix.SIGPIPE: // see Subscribe
		case 32, 33: // the C library's own, nptl(7)
		default:
			list = append(list, sig)
		}
	}
	return list
}
