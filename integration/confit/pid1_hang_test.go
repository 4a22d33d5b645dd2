package confit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A volume hangs, as one on a network may. After half a minute confit logs that, and the status has it for alerts. The app still
// gets its signals, and the edit is in force once the volume answers again.
func TestPID1_volume_hangs(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.flag("--rescan", "200ms")
	c := s.start(s.printer("-exit", "TERM=7")...)
	c.accepts(1)
	c.Says("ready", 1)
	answers := c.Silence(programs.app, web.dir)
	web.swap(keys{"text": "second"})
	c.Signal(syscall.SIGUSR1)
	c.Says("signal USR1", 1)
	c.logs("the volumes or the state directory don't answer", 1)
	c.tells(3, "what doesn't answer", func(st report) bool {
		return st.Phase == "staging" && st.Stalled != nil
	})
	c.Signal(syscall.SIGUSR2)
	c.Says("signal USR2", 1)
	answers()
	c.Says("read second", 1)
	c.accepts(2)
	c.tells(0, "that it answers", func(st report) bool { return st.Phase == "running" && st.Stalled == nil })
	c.stops(7)
}

// TERM ends a confit whose volume hangs, with the app's own code.
func TestPID1_stopped_while_a_volume_hangs(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	c := s.start(s.printer("-exit", "TERM=7")...)
	c.accepts(1)
	c.Says("ready", 1)
	c.Silence(programs.app, web.dir)
	web.swap(keys{"text": "second"})
	c.Eventually("somebody who waits for the volume", c.waits)
	c.stops(7)
}

// waits reports whether a thread of confit sleeps in the kernel's part of FUSE.
func (c *confit) waits() bool {
	stacks, _ := filepath.Glob(c.Proc("task/*/stack"))
	for _, path := range stacks {
		if stack, err := os.ReadFile(path); err == nil && strings.Contains(string(stack), "fuse_") {
			return true
		}
	}
	return false
}
