//go:build check

package daemons

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// stopped is a database that is stopped in the middle of its first start.
type stopped struct {
	database
	by changer
	// says is what the temporary server says of itself by sd_notify(3), beside READY=1.
	says string
	// codes are those of an end by the stop signal, with a handler and without.
	codes []int
	// hangs is true of MariaDB, without confit, too: a TERM in its first tenth of a second may leave it half started for
	// good, and deaf to another one.
	hangs bool
}

var stoppedDatabases = []stopped{
	{postgresFast, gosu, "", []int{0, 130}, false},
	{mariadbMade, setpriv, "Taking your SQL requests now", []int{0, 143}, true},
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
				status, err := c.inside(confitPath, "--status")
				return err == nil && strings.Contains(status, d.says)
			})
			s.swap(s.good(2))
			c.logs(editWaits)
			c.Signal(syscall.SIGTERM)
			c.logs(`msg="stop waits for the app's entrypoint"`)
			c.wantLogged(0, workDone)
			d.endsAfterTheWork(c)
			next := s.start(soon...)
			next.logs(skips)
			next.answers(d.shows, fmt.Sprintf(d.value, 2))
			next.takes(2)
			next.answers(rowQuestion, "kept")
			next.stops(0)
		})
	}
}

// endsAfterTheWork waits for the end of the work and of the container. What hangs is killed, as at the end of a grace
// period.
func (d stopped) endsAfterTheWork(c *confit) {
	c.t.Helper()
	c.logs(workDone)
	soon, cancel := context.WithTimeout(c.t.Context(), 15*time.Second)
	defer cancel()
	ended := harness.Poll(soon, func() bool { return !c.Alive() })
	if !ended && d.hangs && !c.readyAfter(workDone) {
		c.t.Logf("%s hangs, as the stop came in its first moments", d.name)
		c.Kill()
	} else {
		c.Eventually("the end", func() bool { return !c.Alive() })
		if code := c.State().ExitCode(); !slices.Contains(d.codes, code) {
			c.t.Errorf("ended with %d, want one of %d", code, d.codes)
		}
		c.wantLogged(1, `msg="app exited"`)
	}
	c.wantLogged(1, workBegins)
	c.wantLogged(1, workDone)
	c.wantLogged(1, appStarted)
}

// readyAfter reports that MariaDB has started since a line. If it hangs then, the stop hasn't reached it.
func (c *confit) readyAfter(text string) bool {
	lines := c.Lines()
	from := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
	ready := func(line string) bool { return strings.Contains(line, "ready for connections") }
	return slices.ContainsFunc(lines[from:], ready)
}
