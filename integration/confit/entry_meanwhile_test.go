package confit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What happens while a script works in front of an app, and an edit that would restart that waits.

// newWaiting is a setup whose app comes behind a script, and of which a former container has accepted "first".
func newWaiting(t *testing.T, lines ...string) (e *scripted, argv []string) {
	t.Helper()
	e = newEntry(t, append(lines, "reload restart")...)
	e.web.swap(keys{"text": "first"})
	return e, []string{e.script("/bin/bash", "exec "+e.app())}
}

// startWaiting is a container in which "second" waits.
func (e *scripted) startWaiting(argv []string) *confit {
	e.t.Helper()
	c := e.again(argv...)
	e.editWaits(c, "second")
	return c
}

func (e *scripted) editWaits(c *confit, text string) {
	e.t.Helper()
	e.web.swap(keys{"text": text})
	c.waitsFor("start.sh")
}

// wantTaken lets the script end its work, and waits for the edit. The restart runs the script once more.
func (e *scripted) wantTaken(c *confit, text string) {
	e.t.Helper()
	e.letEnd()
	c.Says("read "+text, 1)
	c.logs("generation accepted", 1)
	c.wantUncut(2)
}

// A hook that validates is run at once, and may take longer than the script, or end before that.
func TestEntry_validates(t *testing.T) {
	t.Parallel()
	for name, longer := range map[string]bool{"longer": true, "shorter": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			valid := "valid"
			e, argv := newWaiting(t, `validate sh -c 'echo checks; until [ -e valid ]; do sleep 0.05; done' sh {candidate}`)
			e.write(e.path(valid), "")
			c := e.again(argv...)
			if err := os.Remove(e.path(valid)); err != nil {
				t.Fatal(err)
			}
			e.web.swap(keys{"text": "second"})
			c.Eventually("the hook", func() bool { return len(c.Texts("stderr", "checks")) > 0 })
			if longer {
				e.letEnd()
				c.Says("ready", 1)
				c.wantLogged("generation published", 1)
			}
			e.write(e.path(valid), "")
			if !longer {
				c.waitsFor("start.sh")
			}
			e.wantTaken(c, "second")
		})
	}
}

// What the hook doesn't like is rejected at once, and what replaces it waits.
func TestEntry_invalid(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t, `validate sh -c '! grep -q bad "$0"' {candidate}/web/text`)
	c := e.again(argv...)
	e.web.swap(keys{"text": "bad"})
	c.wantRejected("validate", 1)
	c.wantUnended()
	e.editWaits(c, "second")
	e.wantTaken(c, "second")
	c.wantCount("the bad edit", len(c.Texts("stdout", "read bad")), 0)
}

// wantUnended checks that the script still works.
func (c *confit) wantUnended() {
	c.t.Helper()
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 0)
	c.wantLogged("app started", 1)
}

// No gate is asked while an edit waits. A newer one takes its place.
func TestEntry_gate(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t, "soak 1h")
	e.letEnd()
	e.accept(argv...)
	g := newHooks(e.setup, e.web)
	g.answer("third", "exit 0")
	c := e.next(argv)
	e.editWaits(c, "second")
	g.reads(c)
	e.web.swap(keys{"text": "third"})
	c.logs("edit waits for the app's entrypoint", 2)
	c.tells(0, "the third edit, which waits", func(r report) bool {
		return r.Phase == "waiting" && r.Candidate.Hash == r.Mounted.Hash && r.Gate.Hash == ""
	})
	g.reads(c)
	e.wantTaken(c, "third")
	g.reads(c, "asked third", "told third accepted, mounted")
	g.wantNever(c, "read second")
}

// After a revert nothing waits, and nothing is done when the work is over.
func TestEntry_reverted(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t)
	c := e.startWaiting(argv)
	e.web.swap(keys{"text": "first"})
	c.tells(0, "that nothing waits", func(r report) bool { return r.quiet() && r.App.Entrypoint != nil })
	e.letEnd()
	c.Says("read first", 1)
	c.tells(0, "that the app has begun", func(r report) bool { return r.quiet() && r.App.Entrypoint == nil })
	c.wantUncut(1)
	c.wantLogged("generation published", 1)
}

// Links are kept right, and what the script has removed of the edit is staged again.
func TestEntry_mends(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t)
	c := e.startWaiting(argv)
	if err := os.Remove(e.target("text")); err != nil {
		t.Fatal(err)
	}
	c.logs("target restored", 1)
	e.wantFiles(keys{"text": "first"})
	if err := os.RemoveAll(filepath.Join(e.state, "generations", "2")); err != nil {
		t.Fatal(err)
	}
	e.wantTaken(c, "second")
	e.wantFiles(keys{"text": "second"})
}

// confit is killed while an edit waits. That isn't blamed: the next container takes it at once, and proves it when the app has begun.
func TestEntry_killed(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t)
	c := e.startWaiting(argv)
	c.Kill()
	c = e.start(argv...)
	c.Says("work begins", 1)
	c.tells(0, "that the app is at its entrypoint", func(r report) bool { return r.Phase == "beginning" && r.Live.Hash == r.Mounted.Hash })
	c.Kill()
	c = e.start(argv...)
	c.Says("work begins", 1)
	e.letEnd()
	c.Says("read second", 1)
	c.accepts(1)
	c.wantLogged(isRejected, 0)
}

// The app dies at its entrypoint, for the second time, and is started on a lower rung. What waited waits there, too.
func TestEntry_goes_down(t *testing.T) {
	t.Parallel()
	e, argv := newWaiting(t, "soak 1h")
	e.letEnd()
	e.accept(argv...)
	e.web.swap(keys{"text": "second"})
	e.accept(argv...) // the end of this container is the first death
	c := e.next(argv)
	e.editWaits(c, "third")
	c.signalProcess(c.find("start.sh"), syscall.SIGKILL)
	c.logs(goesDown, 1)
	c.Says("work begins", 2)
	c.logs("edit waits for the app's entrypoint", 2)
	c.wantLogged("app started", 2)
	e.letEnd()
	c.Says("read third", 1)
	c.accepts(1)
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 2)
}
