//go:build check

package daemons

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// stopped is a database that is stopped in the middle of its first start.
type stopped struct {
	database
	by changer
	// says is what the temporary server says of itself by sd_notify(3), beside READY=1.
	says string
}

var stoppedDatabases = []stopped{
	{postgresFast, gosu, ""},
	{mariadbMade, setpriv, "Taking your SQL requests now"},
}

// A stop comes in the middle of a first start, after an edit: the work is done, and the daemon ends by its own stop
// signal. The next container has what was made, and the edit.
func TestDatabase_stop(t *testing.T) {
	t.Parallel()
	for _, d := range stoppedDatabases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := newDatabase(t, d.database, d.by, "reload restart\nstop-timeout 5m\n")
			c := s.start(soon...)
			c.logs("fill begins")
			c.Eventually("what the temporary server says", func() bool {
				status, err := c.inside(confitPath, "--status=json")
				return err == nil && strings.Contains(status, d.says)
			})
			s.swap(s.good(2))
			c.logs(editWaits)
			c.Signal(syscall.SIGTERM)
			c.logs(`msg="stop waits for the app's entrypoint"`)
			c.wantLogged(0, workDone)
			c.endsAfterTheWork()
			next := s.start(soon...)
			next.logs(skips)
			next.answers(d.shows, fmt.Sprintf(d.value, 2))
			next.takes(2)
			next.answers(rowQuestion, "kept")
			next.stops(0)
		})
	}
}

// endsAfterTheWork waits for the end of the work, and for that of the container, which is the daemon's own. MariaDB may hang for good, and be
// deaf to another one, after a TERM in its first tenth of a second, as without confit: the stop waits for its READY=1.
func (c *confit) endsAfterTheWork() {
	c.t.Helper()
	c.logs(workDone)
	c.Ends(0)
	for _, line := range []string{`msg="app exited"`, workBegins, workDone, appStarted} {
		c.wantLogged(1, line)
	}
}
