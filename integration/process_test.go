package integration

import (
	"strconv"
	"strings"
	"syscall"

	"confit/integration/internal/harness"
)

// running are the processes other than confit whose command line holds a text. Confit's own holds its hooks' and the
// app's.
func (c *confit) running(text string) []harness.Process {
	var found []harness.Process
	for _, p := range c.Processes() {
		if strings.Contains(p.Command, text) && !isConfit(p) {
			found = append(found, p)
		}
	}
	return found
}

func isConfit(p harness.Process) bool {
	return strings.HasPrefix(p.Command, programs.confit+" ") || strings.HasPrefix(p.Command, programs.shipped+" ")
}

// find waits for a process whose command line holds a text.
func (c *confit) find(text string) harness.Process {
	c.t.Helper()
	var found []harness.Process
	c.Eventually("a process "+strconv.Quote(text), func() bool {
		found = c.running(text)
		return len(found) > 0
	})
	return found[0]
}

// gone waits until no process has a text in its command line.
func (c *confit) gone(text string) {
	c.t.Helper()
	c.Eventually("no process "+strconv.Quote(text), func() bool { return len(c.running(text)) == 0 })
}

// signalProcess sends a signal to a process other than confit.
func (c *confit) signalProcess(p harness.Process, sig syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(p.PID, sig); err != nil {
		c.t.Fatalf("cannot send %v to %q: %v", sig, p.Command, err)
	}
}
