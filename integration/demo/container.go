package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// container is a confit that runs in the box, and what it and its app have written.
type container struct {
	transcript
	box   box
	cmd   *exec.Cmd
	ended chan struct{} // closed when the last process is gone
}

// start runs a command as PID 1 of the box. The end of the context kills it, and with PID 1 the kernel kills the rest.
func (b box) start(ctx context.Context, command ...string) (*container, error) {
	c := &container{box: b, ended: make(chan struct{})}
	c.cmd = exec.CommandContext(ctx, "/proc/self/exe")
	c.cmd.Args = append([]string{enterRole, string(b)}, command...)
	c.cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	c.cmd.Stdout, c.cmd.Stderr = &c.transcript, &c.transcript
	c.cmd.WaitDelay = time.Second
	c.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		Setsid:     true, // out of the reach of the terminal's ^C, which is for the demo
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot make the container: %w", err)
	}
	go func() { // the only one to wait; everybody else looks at ended
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *container) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// kill ends the container at once. It returns when nothing of it is left.
func (c *container) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// nginxPID is the number that nginx's master process has in the container, by its own word.
func (c *container) nginxPID() (int, error) {
	text, err := os.ReadFile(c.box.in("/run/nginx.pid"))
	if err != nil {
		return 0, fmt.Errorf("cannot read nginx's pid file: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// childrenOf lists the children of a process, all by their numbers in the container.
func (c *container) childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/root/proc/[0-9]*/stat", c.cmd.Process.Pid))
	for _, name := range stats {
		stat, _ := os.ReadFile(name) // it may be gone by now
		var pid, ppid int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if n, _ := fmt.Sscanf(rest, "%1s %d", new(string), &ppid); n == 2 && ppid == parent {
			_, _ = fmt.Sscan(string(stat), &pid)
			children = append(children, pid)
		}
	}
	return children
}

// transcript is what the container has written, line by line.
type transcript struct {
	mutex sync.Mutex
	lines []string // that were not taken yet
	rest  string   // of a line that has no end yet
}

// Write is for the container's output.
func (t *transcript) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := strings.Split(t.rest+string(p), "\n")
	last := len(lines) - 1
	t.lines, t.rest = append(t.lines, lines[:last]...), lines[last]
	return len(p), nil
}

// says reports whether a line that was not taken yet holds a text.
func (t *transcript) says(text string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.Contains(strings.Join(t.lines, "\n"), text)
}

// take returns the lines since it was called last.
func (t *transcript) take() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := t.lines
	t.lines = nil
	return lines
}
