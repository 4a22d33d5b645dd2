package confit

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// A file that confit may not write so large: the kernel sends confit XFSZ for that. The edit is refused, with the limit's name, and the app
// hears nothing of the signal.
func TestKernel_file_size(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		web := s.volume("web")
		s.line("link web/a %s", s.target("a"))
		s.line("rescan 200ms")
		web.swap(keys{"a": "first"})
		c := s.start(app("-print", s.target("a"), "-exit", "TERM=7")...)
		c.Says("ready", 1)
		c.accepts(1)
		c.limit("fsize", 64<<10)
		web.swap(keys{"a": "second\n" + strings.Repeat("x", 100<<10)})
		e := c.logs("cannot apply what is mounted", 1)
		for _, part := range []string{"a", "file too large", "RLIMIT_FSIZE"} {
			if !strings.Contains(e["error"], part) {
				t.Errorf("the error is %q, which lacks %q", e["error"], part)
			}
		}
		web.swap(keys{"a": "third"})
		c.Says("read third", 1)
		c.Signal(syscall.SIGXFSZ) // of somebody's, it looks the same
		c.hasHeardNothing("XFSZ")
		c.stops(7)
	})
}

// seconds is the soft limit of RLIMIT_CPU, which the kernel raises by one with each XCPU.
var seconds = regexp.MustCompile(`(?m)^Max cpu time +(\d+)`)

// confit has run for as long as it may: the kernel sends it XCPU each second. The app has used no time.
func TestKernel_cpu_time(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.line("map-signal USR2:")
	c := s.start(app("-exit", "TERM=7")...)
	c.Says("ready", 1)
	c.limit("cpu", 1)
	c.Eventually("an XCPU", func() bool {
		for range 20_000 {
			c.Signal(syscall.SIGUSR2) // which costs confit some of its time
		}
		limits, err := os.ReadFile(c.Proc("limits"))
		found := seconds.FindSubmatch(limits)
		return err == nil && found != nil && string(found[1]) != "1"
	})
	c.hasHeardNothing("XCPU")
	c.Signal(syscall.SIGXCPU)
	c.hasHeardNothing("XCPU")
	c.stops(7)
}

// hasHeardNothing waits until the app has heard a signal that was sent to confit later, and looks for another.
func (c *confit) hasHeardNothing(signal string) {
	c.t.Helper()
	heard := len(c.Texts("stdout", "signal WINCH"))
	c.Signal(syscall.SIGWINCH)
	c.Says("signal WINCH", heard+1)
	if got := c.Texts("stdout", "signal "+signal); len(got) > 0 {
		c.t.Errorf("the app got %q", got)
	}
}
