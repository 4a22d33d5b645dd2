package process

import (
	"bytes"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// tailSize is how much of a hook's output goes into the status, in bytes: enough for
// the last words of a validator.
const tailSize = 4096

// lastWords is how long output may come after the end of a hook: a process that has
// left the hook's group may hold the pipe open for ever.
const lastWords = 100 * time.Millisecond

// pipeSize is what a pipe holds, in bytes: pipe(7).
const pipeSize = 64 << 10

// Output passes on what a hook prints, and holds the last of it.
type Output struct {
	read, write *os.File
}

// newOutput opens the pipe that a hook prints to.
func newOutput() (*Output, error) {
	r, w, err := os.Pipe()
	return &Output{read: r, write: w}, err
}

// Relay copies the output to w in a goroutine of its own, and calls done with its
// last 4 KiB when it has ended. It closes confit's copy of the pipe's end for
// writing, so the hook must have been started.
func (o *Output) Relay(w io.Writer, done func(tail string)) {
	o.write.Close()
	go func() {
		defer o.read.Close()
		var last []byte
		pass := func(p []byte) {
			_, _ = w.Write(p) // if the log is closed, the pipe must still be emptied, or the hook would wait
			last = append(last, p...)
			last = last[max(len(last)-tailSize, 0):]
		}
		piece := make([]byte, pipeSize/2)
		n, err := o.read.Read(piece)
		for ; err == nil; n, err = o.read.Read(piece) {
			pass(piece[:n])
		}
		if err != io.EOF {
			pass(o.rest())
		}
		if n := len(last); n > 0 && last[n-1] != '\n' {
			_, _ = w.Write([]byte("\n")) // what confit says next is a line of its own
		}
		done(string(last))
	}()
}

// rest is what is in the pipe after the hook's last words: the log may have been slow.
func (o *Output) rest() []byte {
	rest, n := make([]byte, pipeSize), 0
	_ = o.read.SetReadDeadline(time.Time{})
	if pipe, err := o.read.SyscallConn(); err == nil {
		_ = pipe.Read(func(fd uintptr) bool { // doesn't wait: Go's pipes are O_NONBLOCK
			n, _ = unix.Read(int(fd), rest)
			return true
		})
	}
	return rest[:max(n, 0)]
}

// Ended says that the hook has ended. What is in the pipe is still read, but Relay
// doesn't wait for another process that holds it open.
func (o *Output) Ended() {
	_ = o.read.SetReadDeadline(time.Now().Add(lastWords))
}

// close gives up the pipe when no hook could be started.
func (o *Output) close() {
	o.read.Close()
	o.write.Close()
}

// maxLine is the longest line of a record, in bytes: half of what containerd takes as
// one line (max_container_log_line_size of its CRI plugin), as a record is longer.
const maxLine = 8 << 10

// Lines writes a record of each line that a hook prints, in whatever pieces it
// comes. A line that is too long becomes several. So Lines holds little, and loses
// nothing: Output ends the last line.
type Lines struct {
	To     io.Writer
	Record func(line string) []byte // of a line without its newline

	held []byte // begins a line, and has no newline
}

// Write never fails.
func (l *Lines) Write(p []byte) (int, error) {
	rest := append(l.held, p...)
	for end, next := cut(rest); next > 0; end, next = cut(rest) {
		_, _ = l.To.Write(l.Record(string(rest[:end]))) // a log that was closed has no remedy
		rest = rest[next:]
	}
	l.held = append(l.held[:0], rest...)
	return len(p), nil
}

// cut finds the end of the first line and the start of the next one; 0: the line may
// go on. It divides a line that is too long between two characters.
func cut(text []byte) (end, next int) {
	if i := bytes.IndexByte(text[:min(len(text), maxLine+1)], '\n'); i >= 0 {
		return i, i + 1
	}
	if len(text) <= maxLine {
		return 0, 0
	}
	for end = maxLine; end > maxLine-utf8.UTFMax && !utf8.RuneStart(text[end]); end-- {
	}
	return end, end
}
