package confit

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// unread starts confit with a log that nobody reads, as when a container runtime hangs: a FIFO whose only reader sleeps.
func (s *setup) unread(app ...string) *confit {
	s.t.Helper()
	quoted := "'" + strings.Join(append(append(s.command(), "--"), app...), "' '") + "'"
	return s.startCommand("/bin/sh", "-c", fmt.Sprintf("mkfifo %[1]s; sleep 7654321 <%[1]s & exec %[2]s 2>%[1]s", s.path("log"), quoted))
}

// A full log delays nothing: swaps reload the app, a hook that floods the log passes, and TERM reaches the app.
func TestLog_full(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		eachUser(t, format, func(t *testing.T, s *setup) { s.floodsUnreadLog(format) })
	}
}

func (s *setup) floodsUnreadLog(format string) {
	s.t.Helper()
	web := s.volume("web")
	s.flag("--log-format", format)
	s.line("link web/a %s", s.target("a"))
	s.line(`validate sh -c "head -c 1000000 /dev/zero; test -e {candidate}/web/a"`)
	web.swap(keys{"a": "swap 0"})
	c := s.unread(app("-print", s.target("a"), "-exit", "TERM=7")...)
	c.Says("ready", 1)
	for i := 1; i <= 5; i++ {
		web.swap(keys{"a": fmt.Sprintf("swap %d", i)})
		c.Says(fmt.Sprintf("read swap %d", i), 1)
	}
	c.Signal(syscall.SIGUSR1)
	c.Says("signal USR1", 1)
	c.stops(7)
}

// A closed log is as good as none.
func TestLog_closed(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		web := s.volume("web")
		s.line("link web/a %s", s.target("a"))
		s.line(`validate sh -c "echo {candidate}; echo {candidate} >&2"`)
		web.swap(keys{"a": "swap 0"})
		c := s.unread(app("-print", s.target("a"), "-exit", "TERM=7")...)
		c.Says("ready", 1)
		c.signalProcess(c.find("sleep 7654321"), syscall.SIGKILL)
		c.gone("sleep 7654321")
		for i := 1; i <= 5; i++ {
			web.swap(keys{"a": fmt.Sprintf("swap %d", i)})
			c.Says(fmt.Sprintf("read swap %d", i), 1)
		}
		c.stops(7)
	})
}
