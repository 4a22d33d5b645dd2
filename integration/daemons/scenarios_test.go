package daemons

import (
	"slices"
	"testing"
)

// serves waits until the service answers with this name.
func (c *confit) serves(want string) {
	c.t.Helper()
	var last answer
	c.eventually("an answer of "+want, func() bool {
		last = c.ask()
		return last.err == nil && last.name == want
	})
}

// A good edit: the daemon is told and serves the new configuration, the same process as before. It stops as it is told to.
func TestGood(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, d)
			s.swap(d.good(1))
			c := s.start()
			c.serves(name(1))
			c.ready()
			end := c.probe()
			s.swap(d.good(2))
			c.serves(name(2))
			t.Log(end())
			c.wantLogged(1, `msg="app told"`)
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
			s := newSite(t, d)
			s.swap(d.good(1))
			c := s.start("validate " + d.validate)
			c.serves(name(1))
			c.ready()
			end := c.probe()
			s.swap(d.bad())
			c.logs(`msg="candidate rejected"`, "step=validate", `live="generation 1, `)
			c.serves(name(1)) // at least one question was asked since
			list := end()
			t.Log(list)
			if len(list.failed()) > 0 || !slices.Equal(list.names(), []string{name(1)}) {
				t.Error("somebody noticed")
			}
			c.wantLogged(0, `msg="app told"`)
			c.wantLogged(0, `msg="app exited"`)
			c.wantLogged(1, `msg="app started"`)
		})
	}
}
