//go:build check

package daemons

import (
	"io"
	"syscall"
	"testing"
)

// stop is a daemon in an image whose STOPSIGNAL isn't TERM, of which confit doesn't know.
type stop struct {
	daemon
	signal syscall.Signal
}

var stops = []stop{
	{nginx, syscall.SIGQUIT},
	{lighttpd, syscall.SIGINT},
	{apache, syscall.SIGWINCH},
}

// bare is the daemon without a line about its stop signal.
func (s stop) bare() daemon {
	d := s.daemon
	d.stop = 0
	return d
}

// outside sends confit a signal, as a container runtime does.
func (c *confit) outside(signal syscall.Signal) {
	c.t.Helper()
	must(c.t, c.Send(signal))
}

// wantStopped checks that generation 2 isn't blamed for the end of the app: the next start begins with it.
func (c *confit) wantStopped() {
	c.t.Helper()
	c.Ends(0)
	c.wantLogged(1, `msg="app started"`)
	c.wantLogged(0, `msg="candidate rejected"`)
	c.wantLogged(0, `msg="rolled back"`)
	next := c.start()
	next.serves(name(2))
	next.logs(`msg="generation accepted"`)
	next.wantLogged(0, `msg="candidate rejected"`)
}

// The runtime stops the container in the probation of an edit. The app ends gracefully, and so does the container.
func TestStop_in_the_probation(t *testing.T) {
	for _, stop := range stops {
		t.Run(stop.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, stop.bare(), "--probation", "15s") // a busy machine may need seconds for a reload
			s.swap(s.good(2))
			c.serves(name(2))
			c.wantLogged(1, `msg="generation accepted"`)
			c.outside(stop.signal)
			c.wantStopped()
		})
	}
}

// The same with haproxy, whose master ignores signals while it executes itself anew: until the former worker is gone.
func TestStop_haproxy(t *testing.T) {
	t.Parallel()
	s, c := up(t, stop{haproxy, syscall.SIGUSR1}.bare(), "--probation", "15s")
	s.swap(s.good(2))
	c.serves(name(2))
	c.logs("Former worker")
	c.wantLogged(1, `msg="generation accepted"`)
	c.outside(syscall.SIGUSR1)
	c.wantStopped()
}

// A preStop hook ends nginx in the probation of an edit, and TERM follows. On a busy machine that may be too late, so it is tried again.
func TestStop_after_a_pre_stop_hook(t *testing.T) {
	t.Parallel()
	for range 5 {
		s, c := up(t, nginx, "--probation", "15s")
		s.swap(s.good(2))
		c.serves(name(2))
		must(t, syscall.Kill(c.appPID(), syscall.SIGQUIT)) // nginx -s quit
		c.logs(`msg="app exited"`)
		c.serves(name(1))
		c.outside(syscall.SIGTERM)
		c.Ends(0)
		if c.logged(`msg="candidate rejected"`) == 0 {
			next := s.start()
			next.serves(name(2))
			return
		}
	}
	t.Error("the edit was rejected each time")
}

// An edit that comes in while the app ends is left to the next start.
func TestStop_then_an_edit(t *testing.T) {
	t.Parallel()
	s, c := up(t, stops[0].bare())
	release := c.holdNginx()
	c.outside(syscall.SIGQUIT)
	c.logs("gracefully shutting down")
	s.swap(s.good(2))
	release()
	c.Ends(0)
	c.wantLogged(1, `msg="generation published"`)
	c.wantStopped()
}

// holdNginx begins a request, whose end nginx waits for before it ends gracefully.
func (c *confit) holdNginx() (release func()) {
	c.t.Helper()
	connection, err := c.dial()
	must(c.t, err)
	c.t.Cleanup(func() { connection.Close() })
	_, err = io.WriteString(connection, "GET / HTTP/1.0\r\n")
	must(c.t, err)
	c.serves(name(1)) // nginx has accepted the connections before this one
	return func() {
		_, err := io.WriteString(connection, "\r\n")
		must(c.t, err)
	}
}

// A JVM prints its threads at QUIT and lives on. confit takes that for a stop only for as long as a stop may take: then edits are
// applied again.
func TestStop_not_meant(t *testing.T) {
	t.Parallel()
	s, c := up(t, java, "--stop-timeout", "2s")
	c.outside(syscall.SIGQUIT)
	c.logs("Full thread dump")
	for n := 2; n < 4; n++ {
		s.swap(s.good(n))
		c.serves(name(n))
		c.accepts(n)
	}
	c.wantLogged(3, `msg="app started"`)
	c.stops(0)
}
