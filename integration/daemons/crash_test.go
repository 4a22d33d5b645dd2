//go:build check

package daemons

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// holdingHook runs its arguments, unless it has to hold: then it says so and goes on forever.
const holdingHook = `[ ! -e /srv/hold ] || { echo holding >&2; exec sleep 7654321; }
exec "$@"
`

// phase is a phase of a transaction in which a hook can hold it.
type phase struct {
	name, flag, hook string
	kept             bool // confit outlives an app that is killed then
}

var phases = []phase{
	{name: "validating", flag: "--validate", hook: "nginx -t -e stderr -c {candidate}/web/nginx.conf"},
	{name: "published", flag: "--validate", hook: "nginx -t -e stderr -c /srv/etc/nginx.conf"},
	{name: "reloading", flag: "--reload", hook: "nginx -s reload -e stderr -c /srv/etc/nginx.conf", kept: true},
	{name: "proving", flag: "--verify", hook: "nginx -t -e stderr -c /srv/etc/nginx.conf", kept: true}, // a reload doesn't end nginx
}

// start runs confit with an nginx and the hook.
func (p phase) start(s *site) *confit {
	s.t.Helper()
	command := "sh /srv/hook " + p.hook
	if p.flag == "--reload" {
		command = "exec:" + command
	}
	return s.start(p.flag, command)
}

// held is an nginx in a phase of a transaction that a bad edit began.
func (p phase) held(t *testing.T) *confit {
	t.Helper()
	s := newSite(t, nginx)
	s.write("hook", holdingHook)
	s.swap(s.good(1))
	c := p.start(s)
	c.isUp()
	s.write("hold", "")
	s.swap(s.bad())
	c.logs("holding")
	must(t, os.Remove(filepath.Join(s.dir, "hold")))
	return c
}

// again starts another confit on what the ended one left. The bad edit is still mounted: the daemon comes up on the accepted
// generation, and goes on to a fixed one.
func (p phase) again(s *site) {
	s.t.Helper()
	c := p.start(s)
	c.serves(name(1))
	c.logs(`msg="candidate rejected"`, `live="generation 1, `)
	c.goesOn()
}

// The app is killed in each phase. Once it was reloaded, the candidate is blamed for the exit; before, the app has exited, as
// under any init.
func TestCrash_app(t *testing.T) {
	for _, p := range phases {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			c := p.held(t)
			must(t, syscall.Kill(c.appPID(), syscall.SIGKILL))
			if p.kept {
				c.logs(`msg="rolled back"`, "generation=1 ")
				c.serves(name(1))
				c.ready()
				c.Kill()
			} else {
				c.Ends(128 + int(syscall.SIGKILL))
			}
			p.again(c.site)
		})
	}
}

// confit is killed in each phase, and all else with it.
func TestCrash_confit(t *testing.T) {
	for _, p := range phases {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			c := p.held(t)
			c.Kill()
			p.again(c.site)
		})
	}
}
