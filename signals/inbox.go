package signals

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Inbox receives the signals that are sent to confit.
type Inbox struct {
	// Children holds a value when a child has changed state; one place is
	// enough, as every wake reaps all there is. No number of other signals keeps
	// it waiting. Those that are sent before a child ends can be received when
	// this tells of it, see subscribe.go.
	Children <-chan os.Signal
	// Inherited is for the processes that confit starts.
	Inherited Inherited

	sent *queue
}

// Hints delivers a value when there may be something to receive.
func (in Inbox) Hints() <-chan struct{} { return in.sent.hints }

// Receive takes the next signal that is meant for the app, in the order they
// came in; false means that none waits.
func (in Inbox) Receive() (Signal, bool) { return in.sent.take() }

// Subscribe takes over every signal that can be caught. It is the first thing
// that main does: signals wait for it from the entry point on, and without one
// a Go program that is PID 1 exits with 2 on a TERM, HUP or QUIT that nobody
// subscribed to, where the kernel would have dropped it.
//
// SIGURG is the Go runtime's own (golang/go#37942) and isn't subscribed to.
func Subscribe() (Inbox, error) {
	in := Inbox{Inherited: atStart()}
	children := make(chan os.Signal, 1)
	in.Children = children
	var err error
	if in.sent, err = newQueue(); err == nil {
		err = in.sent.subscribe(children)
	}
	if err != nil {
		return Inbox{}, fmt.Errorf("cannot receive signals: %w", err)
	}
	// Subscribed so that a closed stderr can't end confit, but read by nobody:
	// the SIGPIPE of confit's own write can't be told from one that was sent.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return in, nil
}
