package process

import (
	"io"
	"os"
	"time"
)

// tailSize is how much of a hook's output is kept, in bytes: enough for the
// last words of a validator, little enough for a status file.
const tailSize = 4096

// lastWords is how long the output may still flow after a hook has ended. A
// process that left the hook's group may hold the pipe open for ever.
const lastWords = 100 * time.Millisecond

// Output passes on what a hook prints and keeps its tail.
type Output struct {
	read, write *os.File
}

// NewOutput opens the pipe that a hook prints to.
func NewOutput() (*Output, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &Output{read: r, write: w}, nil
}

// Writer is the end for the hook.
func (o *Output) Writer() *os.File { return o.write }

// Relay copies the output to w, from a goroutine of its own, and gives its
// last 4 KiB to done when it has ended. Confit's copy of the hook's end is
// closed here, so it is called once the hook was started.
func (o *Output) Relay(w io.Writer, done func(tail string)) {
	o.write.Close()
	go func() {
		defer o.read.Close()
		t := &tail{}
		_, _ = io.Copy(io.MultiWriter(t, quiet{w}), o.read)
		done(string(t.last))
	}()
}

// Ended tells that the hook is no more: what is still in the pipe is read, but
// nobody waits for a stranger that holds it open.
func (o *Output) Ended() {
	_ = o.read.SetReadDeadline(time.Now().Add(lastWords))
}

// Close gives up a pipe that no hook was started on.
func (o *Output) Close() {
	o.read.Close()
	o.write.Close()
}

// quiet swallows errors: a closed log must not block a hook on a full pipe.
type quiet struct{ w io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	_, _ = q.w.Write(p)
	return len(p), nil
}

// tail keeps the last bytes that were written to it.
type tail struct{ last []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if over := len(t.last) - tailSize; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return len(p), nil
}
