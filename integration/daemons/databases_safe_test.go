//go:build check

package daemons

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// safeMade is MariaDB below its own shell script, which stays in front of it for life and ignores TERM. Its data are
// made in no time.
var safeMade = func() database {
	b := mariadbMade
	b.name = "mariadbd-safe"
	b.server = "mariadbd-safe --defaults-file=/srv/etc/my.cnf"
	b.image = map[string]string{"fill": strings.Replace(fill, "sleep 15\n", "", 1)}
	return b
}()

// longest is how long an edit waits.
var longest = regexp.MustCompile(` longest=(\S+)`)

// unchanged leaves the script its user.
var unchanged = changer{}

// An edit in the script's first five minutes waits, as the script may be one that makes a database. A stop to its group
// ends both, and the next start has the edit.
func TestDatabase_safe_waits(t *testing.T) {
	t.Parallel()
	s := newDatabase(t, safeMade, unchanged, "reload restart\nsignal-group true\n")
	c := s.start(soon...)
	c.answersFirst()
	s.swap(s.good(2))
	mariadbdSafe := `program="/bin/sh /usr/bin/mariadbd-safe"`
	c.logs(editWaits, mariadbdSafe)
	line := c.Lines(editWaits, mariadbdSafe)[0]
	if wait, err := time.ParseDuration(longest.FindStringSubmatch(line)[1]); err != nil || wait > 5*time.Minute {
		t.Errorf("logged %q, want a wait of five minutes at most", line)
	}
	c.stopsSafely()
	c.wantLogged(1, appStarted)
	next := s.start(soon...)
	next.answers(safeMade.shows, fmt.Sprintf(safeMade.value, 2))
	next.stopsSafely()
}

// Nobody waits for a script that is said to be the app. No restart needs KILL: the daemon, of the same group, takes the
// TERM that the script drops.
func TestDatabase_safe(t *testing.T) {
	t.Parallel()
	s := newDatabase(t, safeMade, unchanged, "reload restart\nentrypoint-timeout 0\nsignal-group true\n")
	c := s.start(soon...)
	c.answersFirst()
	if !has(c.appPID(), "SigIgn", syscall.SIGTERM) {
		t.Errorf("mysqld_safe doesn't drop TERM, as %s says", page)
	}
	s.swap(s.good(2))
	c.answers(safeMade.shows, fmt.Sprintf(safeMade.value, 2))
	c.takes(2)
	c.wantLogged(0, `msg="app killed: it did not stop in time"`)
	c.stopsSafely()
}

// answersFirst waits until the first edition is accepted and the database is there.
func (c *confit) answersFirst() {
	c.t.Helper()
	c.accepts(1)
	c.logs(workDone)
	c.answers(safeMade.shows, fmt.Sprintf(safeMade.value, 1))
	c.wantMade()
}

// stopsSafely checks that a stop ends the script with 0 and lets the daemon end as it wants to.
func (c *confit) stopsSafely() {
	c.t.Helper()
	began := time.Now()
	c.stops(0)
	c.t.Logf("the stop took %v", time.Since(began))
	logs, err := filepath.Glob(filepath.Join(c.dir, "data/*.err"))
	must(c.t, err)
	if len(logs) != 1 {
		c.t.Fatalf("the daemon's logs are %q, want one", logs)
	}
	text, err := os.ReadFile(logs[0])
	must(c.t, err)
	lives := strings.Split(string(text), "ready for connections")
	if last := lives[len(lives)-1]; !strings.Contains(last, "Shutdown complete") {
		c.t.Errorf("the daemon was cut off: %s", last)
	}
}
