//go:build check

package daemons

import (
	"io"
	"os"
	"path/filepath"
	"strings"
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

// A daemon that dies of a bad edit after its probation ends the container. The next one on the same state directory starts the
// daemon on that edit once more, sees it die, and goes back to the generation that was accepted before.
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

			c = s.start("--probation", "1m") // a busy machine may need seconds to start what ends at once
			c.logs(`msg="candidate rejected"`, "step=probation", `live="generation 1, `)
			c.logs(`msg="rolled back"`, "generation=1 ")
			c.serves(name(1))
			c.Eventually("the note of it", func() bool {
				note, _ := os.ReadFile(filepath.Join(c.dir, "state/note.json"))
				return strings.Contains(string(note), `"accepted":{"number":1,`)
			})
			c.Kill()

			c = s.start("--probation", "1m") // it is tried once more
			c.serves(name(1))                // no more is asked: uwsgi overhears half of a HUP or an INT while it starts
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
