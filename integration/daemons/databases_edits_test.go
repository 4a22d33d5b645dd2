//go:build check

package daemons

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// edited is a database that is edited each second from its first start on.
type edited struct {
	database
	by     changer
	action string
	then   outcome
}

// outcome is what becomes of an edit when the daemon has begun.
type outcome struct{ restarts, inForce bool }

var (
	// rereads is a daemon that takes the value while it runs.
	rereads = outcome{inForce: true}
	// restarted is a daemon that confit starts again: at restart, at auto where HUP reads no configuration, and at touch, as no
	// database watches its file.
	restarted = outcome{inForce: true, restarts: true}
	// linked is MariaDB told by HUP, at which it flushes logs: the file is there, and read at the next start.
	linked = outcome{}
)

var editedDatabases = []edited{
	{postgresMade, setpriv, "auto", rereads},
	{postgresFast, gosu, "signal:HUP", rereads},
	{postgresMade, gosuFirst, "restart", restarted},
	{postgresFast, setpriv, "touch", restarted},
	{postgresMade, gosuFirst, "exec:sh /srv/reread", rereads},
	{mariadbMade, gosu, "auto", restarted},
	{mariadbMade, gosuFirst, "signal:HUP", linked},
	{mariadbMade, setpriv, "restart", restarted},
	{mariadbMade, gosu, "touch", restarted},
	{mariadbMade, setpriv, "exec:sh /srv/reread", rereads},
}

// Edits come each second from the first start on. The app is started once until it has begun, what its entrypoint
// makes is there, and the newest edit is in force.
func TestDatabase_edits(t *testing.T) {
	t.Parallel()
	for first := range editedAtOnce {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			for i := first; i < len(editedDatabases); i += editedAtOnce {
				e := editedDatabases[i]
				t.Run(fmt.Sprint(e.name, " ", e.action, " ", e.by.name), e.run)
			}
		})
	}
}

// editedAtOnce bounds how many are made at a time: all of them would have both cores for a while.
const editedAtOnce = 4

func (e edited) run(t *testing.T) {
	began := time.Now()
	s := newDatabase(t, e.database, e.by, "reload "+e.action+"\n")
	c := s.start(soon...)
	c.logs(appStarted)
	n := c.editEachSecond(2)
	c.wantMade()
	c.wantOneStart()
	inForce := n
	if !e.then.inForce {
		inForce = 1
		c.takes(n)
	}
	c.answers(e.shows, fmt.Sprintf(e.value, inForce))
	c.takes(n) // last, as touch sees that the file was opened, whoever did it
	c.wantBlind()
	later := c.logged(appStarted) - 1
	if later > 0 != e.then.restarts {
		t.Errorf("%d starts after the app had begun, want some: %v", later, e.then.restarts)
	}
	c.stops(0)
	if !e.then.inForce {
		next := s.start(soon...)
		next.logs(skips)
		next.answers(e.shows, fmt.Sprintf(e.value, n))
	}
	t.Logf("| %s | %s | %s | %d edits | 1 start before the app had begun, %d later | row, edit %d of %d | %.0f s |",
		e.name, e.action, e.by.name, n-1, later, inForce-1, n-1, time.Since(began).Seconds())
}

const (
	appStarted = `msg="app started"`
	isAccepted = `msg="generation accepted"`
	editWaits  = `msg="edit waits for the app's entrypoint"`
	skips      = "skips the initialisation"
	workBegins = "initialisation begins"
	workDone   = "initialisation done"
)

// editEachSecond makes edits from a number on, until the daemon has lived for some seconds, or what was to be made was
// cut off. It returns the number of the newest.
func (c *confit) editEachSecond(n int) (newest int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	var begun time.Time
	harness.PollEvery(ctx, time.Second, func() bool {
		c.swap(c.good(n))
		n++
		done := c.logged(workDone) > 0
		if begun.IsZero() && done && c.logged(isAccepted) > 0 {
			begun = time.Now()
		}
		return !c.Alive() || !done && c.logged(skips) > 0 || !begun.IsZero() && time.Since(begun) > 3*time.Second
	})
	return n - 1
}

// generation is a key of the log.
var generation = regexp.MustCompile(` generation=\d+ `)

// takes waits until an edit is where the target leads, and accepted.
func (c *confit) takes(n int) {
	c.t.Helper()
	target := filepath.Join(root, "etc", c.key)
	c.Eventually(fmt.Sprintf("edit %d behind the target", n), func() bool {
		text, err := c.inside("cat", target)
		return err == nil && text == strings.TrimSpace(c.good(n))
	})
	published := c.Lines(`msg="generation published"`)
	c.logs(isAccepted, generation.FindString(published[len(published)-1]))
	c.wantLogged(0, `msg="candidate rejected"`)
	c.wantLogged(0, `msg="rolled back"`)
}

// wantOneStart checks that the app was started once before the first edition was accepted, while edits waited.
func (c *confit) wantOneStart() {
	c.t.Helper()
	starts, waits := 0, 0
	for _, line := range c.Lines("level=") {
		switch {
		case strings.Contains(line, appStarted):
			starts++
		case strings.Contains(line, editWaits):
			waits++
		case strings.Contains(line, isAccepted):
			if starts != 1 || waits == 0 {
				c.t.Errorf("%d starts, and %d lines of edits that wait, before the app had begun; want 1, and some", starts, waits)
			}
			return
		}
	}
}
