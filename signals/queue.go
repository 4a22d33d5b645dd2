package signals

import (
	"os"

	"golang.org/x/sys/unix"
)

// queue is the pipe in which signals for the app wait.
type queue struct {
	begin, end int // for reading and writing
	hints      chan struct{}
}

func newQueue() (*queue, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	return &queue{begin: ends[0], end: ends[1], hints: make(chan struct{}, 1)}, nil
}

// hint tells that something is there. If a hint waits already, that is enough.
func (q *queue) hint() {
	select {
	case q.hints <- struct{}{}:
	default:
	}
}

// take takes the next signal out, and hints at those behind it. It returns false
// when none waits.
func (q *queue) take() (sig Signal, ok bool) {
	var number [1]byte
	n, err := retry(func() (int, error) { return unix.Read(q.begin, number[:]) })
	if err != nil || n != 1 {
		return 0, false
	}
	q.hint()
	return Signal(number[0]), true
}

// put adds a signal that os/signal has received.
func (q *queue) put(sig os.Signal) {
	_, _ = retry(func() (int, error) { return unix.Write(q.end, []byte{byte(sig.(Signal))}) })
	q.hint()
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}
