package signals

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Inbox receives the signals that are sent to confit.
type Inbox struct {
	// Children holds a value when a child may have changed state. One place is enough,
	// as every wake reaps all there is. No flood of other signals delays it. What
	// os/signal handed over before it can be received by then.
	Children <-chan struct{}

	sent *queue
}

// Hints delivers a value when there may be something to receive.
func (in Inbox) Hints() <-chan struct{} { return in.sent.hints }

// Receive takes the next signal that is meant for the app. It returns false when none
// waits.
func (in Inbox) Receive() (Signal, bool) { return in.sent.take() }

// room is how many signals os/signal may hand over at once: it drops what finds no
// place.
const room = 256

// Subscribe takes over every signal that can be caught. It is the first thing that main
// does, and TERM comes first: a Go program that is PID 1 exits with 2 at a TERM, HUP,
// INT or QUIT that nobody has subscribed to, where the kernel would have dropped it.
// TERM and the news of a child have a channel of their own, which nothing crowds out.
//
// It leaves out SIGURG, which is the Go runtime's own (golang/go#37942), and HUP and
// INT if confit was started with them ignored.
func Subscribe() Inbox {
	stop, others, died := make(chan os.Signal, 1), make(chan os.Signal, room), make(chan os.Signal, 1)
	signal.Notify(stop, TERM)
	signal.Notify(others, forwarded()...)
	signal.Notify(died, unix.SIGCHLD)
	// Caught, so that a closed stderr can't end confit, and read by nobody: the
	// SIGPIPE of confit's own write looks like one that was sent.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	children, sent := make(chan struct{}, 1), &queue{hints: make(chan struct{}, 1)}
	go sent.fill(stop, others, died, children)
	return Inbox{children, sent}
}

// fill takes at once what os/signal hands over, and tells of children only after the
// signals that came before. It does so with each signal: the kernel delivers the lowest
// number first, so a flood of others keeps back the SIGCHLD of a child that has ended.
func (q *queue) fill(stop, others, died <-chan os.Signal, children chan<- struct{}) {
	for {
		select {
		case sig := <-stop:
			q.put(sig)
		case sig := <-others:
			q.put(sig)
		case <-died:
		}
		for _, more := range []<-chan os.Signal{stop, others} {
			for range len(more) {
				q.put(<-more)
			}
		}
		wake(children)
	}
}
