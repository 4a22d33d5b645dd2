package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// How much a Log holds for a slow reader, and how long it waits for that.
const (
	logRoom     = 256 << 10              // bytes: some thousand lines
	logPatience = time.Second            // for a hook's output, and at the end if the reader doesn't hang
	logFlush    = 100 * time.Millisecond // at the end if it does
)

// Log writes to a pipe that may have no reader, as a container's log when the runtime hangs. Its
// callers never wait, as the loop of PID 1 has signals to forward. Writes that find no room are
// counted, and the count is written when there is room.
type Log struct {
	to io.Writer
	fd int32 // of the file behind it

	mutex sync.Mutex
	more  sync.Cond                // signalled when queue or lost changes
	queue [][]byte                 // not written yet; the first is being written
	held  int                      // bytes in queue
	lost  int                      // writes that found no room
	line  func(text string) []byte // makes a line of the log's own words
	stuck bool                     // the last wait was in vain, and nothing was written since
}

// NewLog starts to write to a file, which may be a terminal.
func NewLog(f *os.File) *Log {
	l := &Log{fd: int32(f.Fd()), line: func(text string) []byte { return []byte("confit: " + text + "\n") }}
	l.to = Unstopped(f)
	l.more.L = &l.mutex
	go l.run()
	return l
}

// Format sets how the log's own words become lines, in place of text.
func (l *Log) Format(line func(text string) []byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.line = line
}

// Say writes a line of the log's own words.
func (l *Log) Say(text string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.put(l.line(text))
}

// Write takes p without waiting. It never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.put(p)
	return len(p), nil
}

// put queues a copy of p, or counts it as lost.
func (l *Log) put(p []byte) {
	if l.held > 0 && l.held+len(p) > logRoom {
		l.lost++
		return
	}
	l.queue = append(l.queue, append([]byte(nil), p...))
	l.held += len(p)
	l.more.Broadcast()
}

// Patient returns a writer to the same log that waits for room, for the output of hooks, which may
// be a flood. It waits for at most a second, and not again until the reader has read something.
func (l *Log) Patient() io.Writer { return patient{l} }

type patient struct{ *Log }

func (l patient) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	room := func() bool { return l.held == 0 || l.held+len(p) <= logRoom }
	if !l.stuck {
		l.await(logPatience, room)
	}
	l.stuck = !room()
	l.put(p)
	return len(p), nil
}

// Flush waits until all is written: for at most 100 ms if the reader hangs, and for a second if the
// machine is slow.
func (l *Log) Flush() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	done := func() bool { return l.held == 0 && l.lost == 0 }
	l.await(logFlush, done)
	if l.hasRoom(&unix.Timespec{}) {
		l.await(logPatience, done)
	}
}

// hasRoom reports that a write needn't wait for the reader, and waits for that; nil: for ever, or
// until a signal comes.
func (l *Log) hasRoom(limit *unix.Timespec) bool {
	ready, _ := unix.Ppoll([]unix.PollFd{{Fd: l.fd, Events: unix.POLLOUT}}, limit, nil)
	return ready > 0
}

// await returns when the condition holds, or after the limit. The mutex is held.
func (l *Log) await(limit time.Duration, holds func() bool) {
	expired := false
	timer := time.AfterFunc(limit, func() {
		l.mutex.Lock()
		expired = true
		l.mutex.Unlock()
		l.more.Broadcast()
	})
	defer timer.Stop()
	for !expired && !holds() {
		l.more.Wait()
	}
}

// run writes what waits in the queue, and says how much was lost in the meantime.
func (l *Log) run() {
	l.mutex.Lock()
	for {
		for len(l.queue) == 0 {
			l.more.Wait()
		}
		text := l.queue[0]
		l.mutex.Unlock()
		l.write(text)
		l.mutex.Lock()
		l.queue = l.queue[1:]
		l.held -= len(text)
		l.stuck = false
		if l.lost > 0 && len(l.queue) == 0 {
			l.put(l.line(fmt.Sprintf("%d lines of the log were lost: its reader was too slow", l.lost)))
			l.lost = 0
		}
		l.more.Broadcast()
	}
}

// write writes all of text. The app shares the file, and may set O_NONBLOCK for both, open(2), as
// node does.
func (l *Log) write(text []byte) {
	for {
		n, err := l.to.Write(text)
		text = text[n:]
		if !errors.Is(err, unix.EAGAIN) {
			return // a log that was closed has no remedy
		}
		l.hasRoom(nil)
	}
}
