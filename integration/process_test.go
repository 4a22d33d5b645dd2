package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// processInfo is one process of a confit's namespace, seen from outside.
type processInfo struct {
	pid     int // outside
	inner   int // in the namespace
	state   string
	command string
}

// processes lists the namespace, zombies included. What disappears while it is being read is left out.
func (c *confit) processes() []processInfo {
	own, err := c.pidns.Stat()
	if err != nil {
		c.t.Fatal(err)
	}
	var found []processInfo
	links, _ := filepath.Glob("/proc/[0-9]*/ns/pid")
	for _, link := range links {
		if ns, err := os.Stat(link); err != nil || !os.SameFile(ns, own) {
			continue
		}
		if p, err := readProcess(filepath.Dir(filepath.Dir(link))); err == nil {
			found = append(found, p)
		}
	}
	return found
}

func readProcess(dir string) (processInfo, error) {
	pid, err := strconv.Atoi(filepath.Base(dir))
	if err != nil {
		return processInfo{}, err
	}
	command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return processInfo{}, err
	}
	pids := strings.Fields(statusField(dir, "NSpid"))
	state := strings.Fields(statusField(dir, "State"))
	if len(pids) == 0 || len(state) == 0 {
		return processInfo{}, os.ErrProcessDone
	}
	inner, err := strconv.Atoi(pids[len(pids)-1])
	text := strings.TrimRight(strings.ReplaceAll(string(command), "\x00", " "), " ")
	return processInfo{pid: pid, inner: inner, state: state[0], command: text}, err
}

func statusField(dir, name string) string {
	status, _ := os.ReadFile(filepath.Join(dir, "status"))
	for text := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(text, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// running are the processes other than confit whose command line holds a text. Confit's own holds its hooks' and the
// app's.
func (c *confit) running(text string) []processInfo {
	var found []processInfo
	for _, p := range c.processes() {
		if strings.Contains(p.command, text) && !p.isConfit() {
			found = append(found, p)
		}
	}
	return found
}

func (p processInfo) isConfit() bool {
	return strings.HasPrefix(p.command, programs.confit+" ") || strings.HasPrefix(p.command, programs.shipped+" ")
}

// find waits for a process whose command line holds a text.
func (c *confit) find(text string) processInfo {
	c.t.Helper()
	var found []processInfo
	c.eventually("a process "+strconv.Quote(text), func() bool {
		found = c.running(text)
		return len(found) > 0
	})
	return found[0]
}

// gone waits until no process has a text in its command line.
func (c *confit) gone(text string) {
	c.t.Helper()
	c.eventually("no process "+strconv.Quote(text), func() bool { return len(c.running(text)) == 0 })
}

// signalProcess sends a signal to a process other than confit.
func (c *confit) signalProcess(p processInfo, sig syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(p.pid, sig); err != nil {
		c.t.Fatalf("cannot send %v to %q: %v", sig, p.command, err)
	}
}

func (c *confit) describe() string {
	var b strings.Builder
	for _, p := range c.processes() {
		fmt.Fprintf(&b, "  pid %d, outside %d, state %s: %.200s\n", p.inner, p.pid, p.state, p.command)
	}
	return b.String()
}
