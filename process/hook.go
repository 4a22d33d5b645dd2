package process

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tailSize is how much of a hook's output goes into the status, in bytes: enough for the last words
// of a validator.
const tailSize = 4096

// lastWords is how long output may come after the end of a hook: a process that has left the hook's
// group may hold the pipe open for ever.
const lastWords = 100 * time.Millisecond

// pipeSize is what a pipe holds, in bytes: pipe(7).
const pipeSize = 64 << 10

// Hook is a hook that [Family.StartHook] has started. A nil one was not.
type Hook struct {
	pid    int // 0 once it was reaped: its number may be that of another process then
	read   *os.File
	status chan Status // of its end, when it was reaped
	over   chan HookEnd
}

// HookEnd is the end of a hook, with the last 4 KiB that it has printed.
type HookEnd struct {
	Status Status
	Tail   string
}

// StartHook starts a hook, with /dev/null as its standard input, and passes on to w what it prints.
// It leads a session, so that it can't take the terminal from the app. When it ends, Reap kills its
// group.
func (f *Family) StartHook(c Command, w io.Writer) (*Hook, error) {
	reserveThreads()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	h, err := f.startHook(c, write)
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	h.read = read
	go h.relay(w)
	return h, nil
}

// startHook starts a hook that prints to a file.
func (f *Family) startHook(c Command, out *os.File) (*Hook, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	restore := limitData(c.MaxData)
	pid, err := start(c, []uintptr{null.Fd(), out.Fd(), out.Fd()}, &syscall.SysProcAttr{Setsid: true})
	restore()
	if err != nil {
		return nil, err
	}
	h := &Hook{pid: pid, status: make(chan Status, 1), over: make(chan HookEnd, 1)}
	f.hooks[pid] = h
	return h, nil
}

// Group is the group of a hook that runs. Else it is 0.
func (h *Hook) Group() Group {
	if h == nil {
		return 0
	}
	return Group(h.pid)
}

// Signal sends a signal to a hook and its group, unless the hook was reaped.
func (h *Hook) Signal(sig syscall.Signal) {
	if group := h.Group(); group != 0 {
		_ = KillGroup(group, sig)
	}
}

// Over gives the end of a hook, once, when it was reaped and its output has ended.
func (h *Hook) Over() <-chan HookEnd {
	if h == nil {
		return nil
	}
	return h.over
}

// ended takes the end. What is in the pipe is still read, but nobody waits for another process that
// holds the pipe open.
func (h *Hook) ended(s Status) {
	h.pid = 0
	h.status <- s
	_ = h.read.SetReadDeadline(time.Now().Add(lastWords))
}

// relay passes on what the hook prints until it has ended.
func (h *Hook) relay(w io.Writer) {
	defer h.read.Close()
	var last []byte
	pass := func(p []byte) {
		_, _ = w.Write(p) // if the log is closed, the pipe must still be emptied, or the hook would wait
		last = append(last, p...)
		last = last[max(len(last)-tailSize, 0):]
	}
	piece := make([]byte, pipeSize/2)
	n, err := h.read.Read(piece)
	for ; err == nil; n, err = h.read.Read(piece) {
		pass(piece[:n])
	}
	if err != io.EOF {
		pass(h.rest())
	}
	if n := len(last); n > 0 && last[n-1] != '\n' {
		_, _ = w.Write([]byte("\n")) // what confit says next is a line of its own
	}
	h.over <- HookEnd{<-h.status, string(last)}
}

// rest is what is in the pipe after the hook's last words: the log may have been slow.
func (h *Hook) rest() []byte {
	rest, n := make([]byte, pipeSize), 0
	_ = h.read.SetReadDeadline(time.Time{})
	if pipe, err := h.read.SyscallConn(); err == nil {
		_ = pipe.Read(func(fd uintptr) bool { // doesn't wait: Go's pipes are O_NONBLOCK
			n, _ = unix.Read(int(fd), rest)
			return true
		})
	}
	return rest[:max(n, 0)]
}
