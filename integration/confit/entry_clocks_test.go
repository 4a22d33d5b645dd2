package confit

import (
	"testing"
	"time"
)

// Whose clocks count from the beginning of the app, and what is as it would be without a script.

// works waits until a script has worked for some of the times that mustn't count, and looks whether it is at that.
func (c *confit) worksFor(what string, times time.Duration) {
	c.t.Helper()
	began := time.Now()
	c.Eventually(what, func() bool { return time.Since(began) > times })
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 0)
}

// newUp is a setup whose verify hook waits for what the script makes when its work is done.
func newUp(t *testing.T) (e *scripted, argv []string) {
	t.Helper()
	e = newEntry(t, "reload restart", "verify test -e up", "verify-timeout 2s")
	e.web.swap(keys{"text": "first"})
	return e, []string{e.script("/bin/bash", "touch up; exec "+e.app())}
}

// A database is made for longer than verify waits. The first edition is good all the same.
func TestEntry_verify(t *testing.T) {
	t.Parallel()
	e, argv := newUp(t)
	c := e.start(argv...)
	c.Says("work begins", 1)
	c.worksFor("longer than verify waits", 3*time.Second)
	c.wantLogged(isRejected, 0)
	e.letEnd()
	if accepted := c.accepts(1); accepted["proof"] != "verify" {
		t.Errorf("accepted %v", accepted)
	}
	c.wantUncut(1)
}

// A script that sleeps makes no edition durable.
func TestEntry_soak(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t, "soak 1h") // else the first container may make it durable before it is killed
	e.letEnd()
	e.accept(argv...)
	e.lines[1] = "soak 300ms"
	c := e.next(argv)
	c.worksFor("four times --soak", 1200*time.Millisecond)
	c.wantLogged(hasSoaked, 0)
	e.letEnd()
	c.soaks(1, "true")
	c.wantUncut(1)
}

// Without a probation nobody waits for what a first edition does.
func TestEntry_no_probation(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t)
	e.flag("--probation", "0s")
	c := e.start(argv...)
	c.Says("work begins", 1)
	c.accepts(1)
	c.wantUnended()
	e.letEnd()
	c.Says("read first", 1)
}

// An app that ends at once is seen once at most. It ends in its probation.
func TestEntry_ends_at_once(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t)
	e.flag("--probation", "3s")
	e.letEnd()
	c := e.start(argv...)
	c.accepts(1)
	e.web.swap(keys{"text": "die 5"})
	c.wantRejected("probation", 1)
	c.wantRolledBack(1, "1")
	c.Says("read first", 2)
	c.Kill()
	e.web.swap(keys{"text": "die 6"})
	c = e.start(argv...)
	c.wantRejected("probation", 1)
	c.Says("read first", 1)
}

// A job of some milliseconds keeps its code, whether it is a script, executes something or both.
func TestEntry_job(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"script":         "sleep 0.05; exit 3",
		"executes":       "sleep 0.05; exec sh -c 'exit 3'",
		"executes first": "exec sh -c 'sleep 0.05; exit 3'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := newWaiting(t)
			c := e.start("sh", "-c", text)
			c.Ends(3)
			c.wantLogged("app started", 1)
		})
	}
}
