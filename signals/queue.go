package signals

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// queue is the pipe in which signals for the app wait.
type queue struct {
	end   int // for writing
	conn  syscall.RawConn
	hints chan struct{}
}

func newQueue() (*queue, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	conn, err := os.NewFile(uintptr(ends[0]), "signals").SyscallConn()
	if err != nil {
		return nil, err
	}
	q := &queue{end: ends[1], conn: conn, hints: make(chan struct{})}
	go q.hint()
	return q, nil
}

// hint tells that something is there, and leaves it there.
func (q *queue) hint() {
	for q.conn.Read(readable) == nil {
		q.hints <- struct{}{}
	}
}

// readable asks by poll(2): a profile that refuses ioctl(2) must not make confit deaf.
func readable(fd uintptr) bool {
	n, err := retry(func() (int, error) { return unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) })
	return err == nil && n > 0
}

// take takes the next signal out. It returns false when none waits.
func (q *queue) take() (sig Signal, ok bool) {
	var number [1]byte
	_ = q.conn.Control(func(fd uintptr) { // Read would wait for hint to end
		n, err := retry(func() (int, error) { return unix.Read(int(fd), number[:]) })
		ok = err == nil && n == 1
	})
	return Signal(number[0]), ok
}

// put adds a signal that os/signal has received.
func (q *queue) put(sig os.Signal) {
	_, _ = retry(func() (int, error) { return unix.Write(q.end, []byte{byte(sig.(Signal))}) })
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}
