package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// Init is the first process of a box: pid_namespaces(7) calls it so. When it ends, the kernel ends all others in the box.
type Init struct {
	PID int // as seen from outside

	name         string // the program's, for messages
	cmd          *exec.Cmd
	gated        bool
	gate         *os.File
	pidns, netns *os.File
	ended        chan struct{} // closed after the last process of the box is gone
}

func (i *Init) start() error {
	if err := i.cmd.Start(); err != nil {
		return err
	}
	i.PID = i.cmd.Process.Pid
	// Held open, the numbers of the namespaces aren't given to others before Close. A bare program may be over by now.
	i.pidns, _ = os.Open(i.Proc("ns/pid"))
	i.netns, _ = os.Open(i.Proc("ns/net"))
	go func() { // the only one to wait; everybody else looks at ended
		_ = i.cmd.Wait()
		close(i.ended)
	}()
	return nil
}

// Proc is a path below the program's directory in /proc.
func (i *Init) Proc(elements ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(i.PID)}, elements...)...)
}

// Open lets a program go that was started with a gate.
func (i *Init) Open() error {
	_, err := i.gate.Write([]byte{1})
	return err
}

// Alive tells whether the box still runs.
func (i *Init) Alive() bool {
	select {
	case <-i.ended:
		return false
	default:
		return true
	}
}

// Ended is closed when nothing of the box runs any more, and all that it wrote was read.
func (i *Init) Ended() <-chan struct{} { return i.ended }

// State is how the program ended. It is nil before.
func (i *Init) State() *os.ProcessState {
	if i.Alive() {
		return nil
	}
	return i.cmd.ProcessState
}

// Send sends a signal from outside, as a container runtime does.
func (i *Init) Send(sig syscall.Signal) error { return i.cmd.Process.Signal(sig) }

// Kill ends the box at once. It returns when nothing of it is left.
func (i *Init) Kill() {
	_ = i.cmd.Process.Kill() // it may have ended
	<-i.ended
}

// Close is Kill, and lets go of the namespaces.
func (i *Init) Close() {
	i.Kill()
	for _, file := range []*os.File{i.gate, i.pidns, i.netns} {
		if file != nil {
			file.Close()
		}
	}
}

// Until polls until ok, for as long as the box lives and Patience lasts.
func (i *Init) Until(what string, ok func() bool) error {
	gone := false
	if !Poll(context.Background(), func() bool {
		alive := i.Alive() // before ok, so that what was written last is seen
		if ok() {
			return true
		}
		gone = !alive
		return gone
	}) {
		return fmt.Errorf("not within %v: %s", Patience, what)
	}
	if gone {
		return fmt.Errorf("%s ended (%v) before: %s", i.name, i.cmd.ProcessState, what)
	}
	return nil
}
