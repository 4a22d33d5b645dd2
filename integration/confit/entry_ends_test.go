package confit

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// How the app's end at its entrypoint, after a probation, is judged.

// migrating is a setup whose script migrates first: each run works until the test lets it end, and fails if something is missing then. "first"
// is accepted, and "second" is mounted.
type migrating struct {
	*scripted
	hooks gated
	argv  []string
}

// newMigrating gives the script a condition under which it fails, with a code of its own.
func newMigrating(t *testing.T, fails string) *migrating {
	t.Helper()
	e := newEntry(t, "reload restart", "soak 1h")
	e.web.swap(keys{"text": "first"})
	script := e.write(e.path("start.sh"), fmt.Sprintf("#!/bin/bash\n"+work+"\nrm %s\n%s && exit 5\nexec %s\n", e.done, e.done, fails, e.app()))
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &migrating{scripted: e, argv: []string{script}}
	e.letEnd()
	e.accept(m.argv...)
	e.tookLong()
	m.hooks = newHooks(e.setup, e.web)
	m.hooks.answer("second", `[ -n "$CONFIT_STARTING" ] || until [ -e read ]; do sleep 0.05; done`)
	e.web.swap(keys{"text": "second"})
	return m
}

// life is the next container.
func (m *migrating) life() *confit { return m.start(m.argv...) }

// worksLong waits until the nth run of the script in a container has worked for longer than a probation, and lets it end then.
func (m *migrating) worksLong(c *confit, n int) {
	m.t.Helper()
	c.Says("work begins", n)
	began := time.Now()
	c.Eventually("three probations", func() bool { return time.Since(began) > 600*time.Millisecond })
	m.letEnd()
}

// readsFirst waits until the app has read what is accepted. Before that the gate lets no edit end it.
func (m *migrating) readsFirst(c *confit) {
	m.t.Helper()
	c.Says("read first", 1)
	m.write(m.path("read"), "")
}

// onFirst is that the container starts the app on what is accepted.
func (c *confit) onFirst() {
	c.t.Helper()
	e := c.logs("candidate put off until the app has begun on something else: the app ended on it at its entrypoint, or confit was killed there", 1)
	if e["step"] != "entrypoint" {
		c.t.Errorf("put off for %q", e["step"])
	}
}

// endsOnSecond is that the script's end ends the container with its code, and is noted.
func (c *confit) endsOnSecond() {
	c.t.Helper()
	c.Ends(5)
	c.wantLogged("app ended at its entrypoint: the next container starts it on something else first", 1)
	c.wantLogged("app started", 1)
	c.wantLogged("candidate rejected", 0)
}

// A migration that fails as its database is away takes no edit from a fleet: the database comes back in the sixth container, and the edit is
// in force in the end.
func TestEntryEnds_database_away(t *testing.T) {
	t.Parallel()
	m := newMigrating(t, "[ -e away ]")
	m.write(m.path("away"), "")
	for n := range 5 {
		c := m.life()
		if n%2 == 0 {
			m.worksLong(c, 1)
			c.endsOnSecond()
			continue
		}
		c.onFirst()
		m.worksLong(c, 1)
		c.Ends(5)
		c.wantLogged("app died before its generation soaked", 0)
	}
	if err := os.Remove(m.path("away")); err != nil {
		t.Fatal(err)
	}
	c := m.life()
	c.onFirst()
	m.worksLong(c, 1)
	m.readsFirst(c)
	m.worksLong(c, 2)
	c.Says("read second", 1)
	c.accepts(1)
	m.wantTold(c, "told second accepted, mounted")
	c.stops(7)
}

// wantTold checks what the gate was told in all containers.
func (m *migrating) wantTold(c *confit, want string) {
	m.t.Helper()
	told := func() (lines []string) {
		for _, line := range m.hooks.diary() {
			if line != "asked second" && line != "asked second at the start" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	c.Eventually("an outcome", func() bool { return len(told()) > 0 })
	if got := told(); len(got) != 1 || got[0] != want {
		m.t.Errorf("the gate was told %q, want %q", got, want)
	}
}

// An edit that makes the migration fail is rejected at its second end, as the app begins on what is accepted in between. The next container
// doesn't try it.
func TestEntryEnds_bad_edit(t *testing.T) {
	t.Parallel()
	m := newMigrating(t, "false")
	m.write(m.path("start.sh"), fmt.Sprintf("#!/bin/bash\n"+work+"\nrm %s\ngrep -q second %s && exit 5\nexec %s\n", m.done, m.done, m.target("text"), m.app()))
	c := m.life()
	m.worksLong(c, 1)
	c.endsOnSecond()

	c = m.life()
	c.onFirst()
	m.worksLong(c, 1)
	m.readsFirst(c)
	c.tells(0, "the edit that waits", func(r report) bool { return r.PendingSince != nil || r.Phase == "beginning" })
	m.worksLong(c, 2)
	c.wantRejected("entrypoint", 1)
	c.wantRolledBack(1, "1")
	m.worksLong(c, 3)
	c.Says("read first", 2)
	c.wantCount("the edit", len(c.Texts("stdout", "read second")), 0)
	m.wantTold(c, "told second rolled-back at entrypoint, stored")
	c.Kill()

	c = m.life()
	c.wantRejected("entrypoint", 1)
	m.worksLong(c, 1)
	c.Says("read first", 1)
	c.stops(7)
}

// A kill of confit at the entrypoint counts as such an end: the third container doesn't try the edit.
func TestEntryEnds_killed(t *testing.T) {
	t.Parallel()
	m := newMigrating(t, "false")
	c := m.life()
	c.Says("work begins", 1)
	c.recorded(`"step":"entrypoint"`, `"kills":1`)
	c.Kill()

	c = m.life()
	c.onFirst()
	m.worksLong(c, 1)
	m.readsFirst(c)
	c.Says("work begins", 2)
	c.recorded(`"step":"entrypoint"`, `"kills":2`)
	c.Kill()

	c = m.life()
	c.wantRejected("entrypoint", 1)
	m.worksLong(c, 1)
	c.Says("read first", 1)
	m.wantTold(c, "told second rejected at entrypoint, stored")
	c.stops(7)
}

// Where nothing else is there confit ends with the app's code each time, as a Job's.
func TestEntryEnds_alone(t *testing.T) {
	t.Parallel()
	e := newEntry(t, "reload restart")
	e.web.swap(keys{"text": "first"})
	for range 3 {
		c := e.start(e.script("/bin/dash", "rm "+e.done+"; [ -e good ] || exit 1; exec "+e.app()))
		c.Says("work begins", 1)
		began := time.Now()
		c.Eventually("three probations", func() bool { return time.Since(began) > 600*time.Millisecond })
		e.letEnd()
		c.Ends(1)
		c.wantLogged("candidate rejected", 0)
		c.wantLogged("app started", 1)
	}
	e.write(e.path("good"), "")
	c := e.start(e.path("start.sh"))
	c.Says("work begins", 1)
	e.letEnd()
	c.accepts(1)
	c.Says("ready", 1)
	c.stops(7)
}
