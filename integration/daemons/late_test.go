//go:build check

package daemons

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// late is a daemon that has something to finish before it reads its configuration again.
type late struct {
	daemon
	// hold gives it something to do, which lasts until release.
	hold func(*confit) (release func())
	// code is what it exits with when it reads a bad file at last.
	code int
}

var lates = []late{
	{fluentd, holdFluentd, 2},
	{lighttpd, holdLighttpd, 255},
	{uwsgi, holdUWSGI, 1},
}

// A daemon that dies of a bad edit after its probation ends the container. So does the next one on the same state directory, which starts
// the daemon on that edit. The one after that sees it die again, and goes down to the generation that was accepted before.
func TestLate(t *testing.T) {
	for _, l := range lates {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.name == fluentd.name && os.Getenv(fluentdVariable) == "" {
				t.Skipf("%s names no directory with fluentd, which Debian has not", fluentdVariable)
			}
			s, c := up(t, l.daemon)
			release := l.hold(c)
			s.swap(s.bad())
			c.accepts(2)
			release()
			c.Ends(l.code)

			soak := []string{"--probation", "1s", "--soak", "15s"} // a busy machine may need seconds to start what ends at once
			c = s.start(soak...)
			c.logs(`msg="app died before its generation soaked"`, "deaths=1")
			c.Eventually("the end of the container", func() bool { return !c.Alive() })

			c = s.start(soak...)
			c.logs(`msg="going down the ladder"`, "generation=1 ")
			c.serves(name(1))
			c.logs(`msg="candidate rejected"`, "step=soak", `live="generation 1, `)
			c.noted()
			c.Kill()

			c = s.start(soak...) // it isn't tried again for an hour
			c.serves(name(1))
		})
	}
}

// holdLighttpd downloads a large file, of which the client reads one byte.
func holdLighttpd(c *confit) (release func()) {
	c.t.Helper()
	const large = 64 << 20 // more than the sockets' buffers hold
	c.write("www/large", "")
	must(c.t, os.Truncate(filepath.Join(c.dir, "www/large"), large))
	connection, err := c.dial()
	must(c.t, err)
	_, err = io.WriteString(connection, "GET /large HTTP/1.0\r\n\r\n")
	must(c.t, err)
	_, err = connection.Read(make([]byte, 1))
	must(c.t, err)
	return func() { connection.Close() }
}

// holdUWSGI sends a request whose answer takes until release.
func holdUWSGI(c *confit) (release func()) {
	c.t.Helper()
	connection, err := c.dial()
	must(c.t, err)
	c.t.Cleanup(func() { connection.Close() })
	_, err = io.WriteString(connection, "GET /slow HTTP/1.0\r\n\r\n")
	must(c.t, err)
	c.logs("holding")
	return func() { c.write("release", "") }
}

// holdFluentd leaves an event in a buffer, which takes until release to write out.
func holdFluentd(c *confit) (release func()) {
	c.t.Helper()
	c.bringIn("slow", "slow")
	return func() { c.write("release", "") }
}
