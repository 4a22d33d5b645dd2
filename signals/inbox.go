package signals

import (
	"os"
	"os/signal"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// Inbox receives the signals that are sent to confit.
type Inbox struct {
	// Children holds a value when a child may have changed state, beside any flood of signals.
	// Those that os/signal handed over before can be received by then.
	Children <-chan struct{}

	*queue
}

// room is how many signals os/signal may hand over at once: it drops what finds no place.
const room = 256

// ownDoing are the signals that the kernel raises for what confit itself does: it writes to a
// closed log, or a larger file than RLIMIT_FSIZE allows, or has run for longer than RLIMIT_CPU,
// setrlimit(2). The app has done none of these, and would end.
var ownDoing = []os.Signal{unix.SIGPIPE, unix.SIGXFSZ, unix.SIGXCPU}

// Subscribe takes over every signal that can be caught, but for SIGURG, which is the Go runtime's
// own (golang/go#37942), and HUP and INT if confit was started with them ignored. main does this
// first, and TERM comes first: without a subscriber a Go program that is PID 1 exits with 2 at a
// TERM, HUP, INT or QUIT, which the kernel would have dropped. TERM and SIGCHLD have channels of
// their own, which no flood fills.
func Subscribe() Inbox {
	stop, others, died := make(chan os.Signal, 1), make(chan os.Signal, room), make(chan os.Signal, 1)
	signal.Notify(stop, TERM)
	signal.Notify(others, forwarded()...)
	signal.Notify(died, unix.SIGCHLD)
	// Caught, so that none of them ends confit, and not forwarded: what the kernel raises looks
	// like what somebody has sent.
	signal.Notify(make(chan os.Signal, 1), ownDoing...)
	children, sent := make(chan struct{}, 1), &queue{wakes: make(chan struct{}, 1)}
	go sent.fill(stop, others, died, children)
	return Inbox{children, sent}
}

// fill takes at once what os/signal hands over, and tells of children only after the signals that
// came before. Each signal may stand for a child, too: the kernel delivers the lowest number first,
// so a flood of others delays SIGCHLD.
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

// queue holds the signals that wait for the loop, in the order in which they came in, and each
// once, as in the kernel. So none is lost, and a flood of one delays no other.
type queue struct {
	mutex   sync.Mutex
	waiting []Signal
	wakes   chan struct{}
}

// put adds a signal.
func (q *queue) put(sig os.Signal) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if s := sig.(Signal); !slices.Contains(q.waiting, s) {
		q.waiting = append(q.waiting, s)
	}
	wake(q.wakes)
}

// Hints delivers a value when a signal may wait.
func (q *queue) Hints() <-chan struct{} { return q.wakes }

// Receive takes the next signal that is meant for the app. It returns false when none waits.
func (q *queue) Receive() (sig Signal, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.waiting) == 0 {
		return 0, false
	}
	sig = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	if len(q.waiting) > 0 {
		wake(q.wakes)
	}
	return sig, true
}

// wake leaves a value in a channel, unless one waits there.
func wake(wakes chan<- struct{}) {
	select {
	case wakes <- struct{}{}:
	default:
	}
}
