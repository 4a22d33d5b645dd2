//go:build check

package daemons

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// longestOutage is how long a service that comes back may be away.
const longestOutage = 30 * time.Second

// serves waits until the service answers with this name.
func (c *confit) serves(want string) {
	c.t.Helper()
	c.Eventually("an answer of "+want, func() bool { return c.ask().name == want })
}

// reloaded is the log line of a reload by a signal.
const reloaded = `msg="app reloaded"`

// accepts waits until generation n is accepted.
func (c *confit) accepts(n int) {
	c.t.Helper()
	c.logs(`msg="generation accepted"`, fmt.Sprintf("generation=%d ", n))
}

// isUp waits until generation 1 is served and accepted, for later starts, too, and the daemon can be reloaded.
func (c *confit) isUp() {
	c.t.Helper()
	if c.shy {
		c.accepts(1)
	}
	c.serves(name(1))
	c.accepts(1)
	c.noted()
	c.ready()
}

// noted waits until the note says that the app is on generation 1: there may be a note before.
func (c *confit) noted() {
	c.t.Helper()
	c.Eventually("the note of generation 1", func() bool {
		note, _ := os.ReadFile(filepath.Join(c.dir, "state/note.json"))
		return strings.Contains(string(note), `"ladder":[{"number":1,`)
	})
}

// up starts a daemon on a site of its own, and waits until it is.
func up(t *testing.T, d daemon, flags ...string) (*site, *confit) {
	t.Helper()
	s := newSite(t, d)
	s.swap(d.good(1))
	c := s.start(flags...)
	c.isUp()
	return s, c
}

// A good edit: the daemon is reloaded and serves the new configuration, as the same process. It stops by its own signal.
func TestGood(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, d)
			end := c.probe()
			s.swap(d.good(2))
			c.serves(name(2))
			c.accepts(2)
			record(t, d, goodEdit, end())
			c.wantLogged(1, reloaded)
			c.wantLogged(1, `msg="app started"`)
			c.ready()
			c.stops(0)
		})
	}
}

// A bad edit that the daemon's own check finds: nobody notices.
func TestBad_validated(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, d, "--validate", d.validate)
			end := c.probe()
			s.swap(d.bad())
			c.logs(`msg="candidate rejected"`, "step=validate", `live="generation 1, `)
			c.serves(name(1)) // at least one question was asked since
			list := end()
			record(t, d, validatedEdit, list)
			if len(list.failed()) > 0 || !slices.Equal(list.names(), []string{name(1)}) {
				t.Error("somebody noticed")
			}
			c.wantLogged(0, reloaded)
			c.wantLogged(0, `msg="app exited"`)
			c.wantLogged(1, `msg="app started"`)
		})
	}
}

// A bad edit that no check finds before the reload. Most daemons exit then: the container lives, and the accepted configuration
// is served again. Some go on with what they have, and only a verify hook knows; nobody notices anything.
func TestBad_rolled_back(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			flags, step, starts := []string(nil), "step=probation", 2
			if d.keeps {
				flags, step, starts = d.verify(), "step=verify", 1
			}
			s, c := up(t, d, flags...)
			end := c.probe()
			s.swap(d.bad())
			c.logs(`msg="candidate rejected"`, step, `live="generation 1, `)
			c.logs(`msg="rolled back"`, "generation=1 ")
			c.serves(name(1))
			list := end()
			record(t, d, rolledBackEdit, list)
			if !slices.Equal(list.names(), []string{name(1)}) || d.keeps && len(list.failed()) > 0 || list.outage() > longestOutage {
				t.Error("the service wasn't as it should be")
			}
			c.wantLogged(starts, `msg="app started"`)
			c.goesOn()
		})
	}
}

// The container is killed and comes up while a bad edit is mounted: the daemon serves what was accepted. The probation is long,
// because a busy machine may need seconds to start a daemon that ends at once.
func TestBad_at_a_restart(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, d)
			c.Kill()
			s.swap(d.bad())
			c = s.start("--probation", "1m")
			c.serves(name(1))
			c.logs(`msg="candidate rejected"`, "step=probation", `live="generation 1, `)
			c.goesOn()
		})
	}
}

// goesOn checks that the next good edit is served, and that the daemon stops by its own signal.
func (c *confit) goesOn() {
	c.t.Helper()
	c.ready()
	c.swap(c.good(2))
	c.serves(name(2))
	c.ready()
	c.stops(0)
}
