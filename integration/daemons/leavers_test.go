//go:build check

package daemons

import (
	"fmt"
	"testing"
)

// leaver is an app that catches HUP and exits at it, as at any signal.
type leaver struct {
	daemon
	code int
}

// confit knows chronyd and a JVM by their names, and doesn't know them by other names.
var leavers = []leaver{
	{renamed(chrony, "chronyd", "/usr/sbin/chronyd"), 0},
	{renamed(java, "java", "/usr/lib/jvm/default-java/bin/java"), 129},
	{node, 0},
	{shell, 0},
	{called("runsvdir", atHUP("exit 111")), 111}, // whatever it reads, as runsvdir(8) says
}

func called(name string, d daemon) daemon {
	d.name = name
	return d
}

// renamed is a daemon whose program has another name. A JVM looks for its libraries beside it.
func renamed(d daemon, program, path string) daemon {
	d.image = map[string]string{"entrypoint": fmt.Sprintf(`
mkdir -p /run/bin && cp -f %s /run/bin/service && ln -sf /usr/lib/jvm/default-java/lib /usr/lib/jvm/default-java/conf /run/
shift
exec /run/bin/service "$@"
`, path), "App.java": java.image["App.java"]}
	d.app = "sh /srv/entrypoint " + d.app
	return d
}

// An app that exits at auto's HUP is started on the new configuration. When it survives its probation there, confit has learnt:
// the next edit is a restart, without a HUP.
func TestLeaver_good(t *testing.T) {
	for _, l := range leavers {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, l.daemon)
			s.swap(s.good(2))
			c.logs(`msg="app exited"`, fmt.Sprintf("code=%d\n", l.code))
			c.serves(name(2))
			c.accepts(2)
			s.swap(s.good(3))
			c.serves(name(3))
			c.accepts(3)
			c.wantLogged(1, reloaded)
			c.wantLogged(1, `msg="app restarting"`)
			c.wantLogged(3, `msg="app started"`)
			c.wantLogged(0, `msg="candidate rejected"`)
			c.stops(0)
		})
	}
}

// When it can't live on the new configuration, that one is blamed. The next good edit is in force again.
func TestLeaver_bad(t *testing.T) {
	for _, l := range leavers {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, l.daemon, "--probation", "30s") // a busy machine may need many seconds to start what ends at once
			s.swap(s.bad())
			c.logs(`msg="app exited"`, fmt.Sprintf("code=%d\n", l.code))
			c.logs(`msg="candidate rejected"`, "step=probation", `live="generation 1, `)
			c.logs(`msg="rolled back"`, "generation=1 ")
			c.serves(name(1))
			c.wantLogged(3, `msg="app started"`)
			c.goesOn()
		})
	}
}

// An app that has once lived through HUP could not read the file when it exits with another code. It isn't started on it again.
func TestLeaver_has_read_before(t *testing.T) {
	t.Parallel()
	s, c := up(t, atHUP(`. "$1"; echo "serving $name"`), "--probation", "30s") // a busy machine may need many seconds to start what ends at once
	s.swap(s.bad())
	c.Eventually("its end at HUP, and that of the start", func() bool { return c.logged(`msg="app exited"`, "code=5\n") == 2 })
	c.Eventually("the start after the roll back", func() bool { return c.logged("serving generation-1") == 2 })
	s.swap(s.good(2))
	c.serves(name(2))
	c.accepts(3)
	s.swap(s.bad() + "\n")
	c.logs(`msg="candidate rejected"`, `live="generation 3, `)
	c.Eventually("the start after the roll back", func() bool { return c.logged("serving generation-2") == 2 })
	c.wantLogged(3, `msg="app exited"`, "code=5\n")
	c.wantLogged(4, `msg="app started"`)
}
