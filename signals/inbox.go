package signals

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Inbox receives the signals that are sent to confit.
type Inbox struct {
	// Children holds a value when a child has changed state. One place is enough,
	// as every wake reaps all there is. No flood of other signals delays it. A
	// signal that was sent before a child ended can be received by the time that
	// this tells of the end, see subscribe.go.
	Children <-chan os.Signal
	// Inherited is for the processes that confit starts.
	Inherited Inherited

	sent *queue
}

// Hints delivers a value when there may be something to receive.
func (in Inbox) Hints() <-chan struct{} { return in.sent.hints }

// Receive takes the next signal that is meant for the app, in the order in which
// they came in. It returns false when none waits.
func (in Inbox) Receive() (Signal, bool) { return in.sent.take() }

// Subscribe takes over every signal that can be caught. It is the first thing
// that main does: behind the entry point signals wait for it. Without one, a Go
// program that is PID 1 exits with 2 at a TERM, HUP or QUIT that nobody subscribed
// to, where the kernel would have dropped it.
//
// It leaves out SIGURG, which is the Go runtime's own (golang/go#37942), and HUP and
// INT if confit was started with them ignored.
func Subscribe() (Inbox, error) {
	in := Inbox{Inherited: Inherited{blocked: blockedAtEntry, exact: entered == 1}}
	children := make(chan os.Signal, 1)
	in.Children = children
	var err error
	if in.sent, err = newQueue(); err == nil {
		in.Inherited.tell = func() { in.sent.tell(children) }
		err = in.sent.subscribe(children)
	}
	if err != nil {
		return Inbox{}, fmt.Errorf("cannot receive signals: %w", err)
	}
	// Caught, so that a closed stderr can't end confit, and read by nobody: the
	// SIGPIPE of confit's own write looks like one that was sent.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return in, nil
}
