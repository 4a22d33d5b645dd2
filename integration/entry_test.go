package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// scripted is a setup whose app comes behind a script that works until the test lets it end.
type scripted struct {
	*setup
	web  *volume
	done string // the work is over where this file is
}

// work is what a script does: it says when it begins and ends, and how it was cut off.
const work = `echo work begins; while [ ! -e %s ]; do sleep 0.05; done; echo work done`

func newEntry(t *testing.T, lines ...string) *scripted {
	t.Helper()
	s, web := newProved(t)
	s.lines = append(s.lines[:1], lines...)
	s.flag("--entrypoint-timeout", "30m", "--probation", "200ms", "--rescan", "1s")
	return &scripted{s, web, s.path("done")}
}

// program writes a script of this shell that works, and then goes on with a command.
func (e *scripted) program(shell, then string) string {
	path := e.write(e.path("start.sh"), fmt.Sprintf("#!%s\n"+work+"\n%s\n", shell, e.done, then))
	if err := os.Chmod(path, 0o755); err != nil {
		e.t.Fatal(err)
	}
	return path
}

func (e *scripted) letEnd() { e.write(e.done, "") }

// works puts off the end of the work again.
func (e *scripted) works() {
	if err := os.Remove(e.done); err != nil {
		e.t.Fatal(err)
	}
}

// tookLong has the note say that the entrypoint took ten minutes, so that nothing is cut off on a slow machine: a second one has twice the
// time of the first, and ten seconds at least.
func (e *scripted) tookLong() {
	path := filepath.Join(e.state, "note.json")
	note := e.read(path)
	if !strings.Contains(note, `"entrypoint":1`) && !strings.Contains(note, `"entrypoint": 1`) {
		e.t.Fatalf("the note doesn't say how long the entrypoint took: %s", note)
	}
	e.write(path, regexp.MustCompile(`"entrypoint": ?\d+`).ReplaceAllString(note, `"entrypoint": 600`))
}

// wantUncut checks that the script's work was begun as often as it ended.
func (c *confit) wantUncut(n int) {
	c.t.Helper()
	c.wantCount("work that was begun", len(c.Texts("stdout", "work begins")), n)
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), n)
}

// waits is that an edit waits for the entrypoint, in log and status, and that nothing else is said against it.
func (c *confit) waitsFor(program string) {
	c.t.Helper()
	if found := c.logs("edit waits for the app's entrypoint", 1)["program"]; !strings.HasSuffix(found, program) {
		c.t.Errorf("waits for %q, want %q", found, program)
	}
	c.tells(0, "for whom the edit waits", func(r report) bool {
		e := r.App.Entrypoint
		return r.Phase == "waiting" && r.PendingSince != nil && e != nil && strings.HasSuffix(e.Program, program)
	})
}

// shellInFront is the front in which dash stays.
const shellInFront = "a script of sh -c"

// fronts are ways in which a script comes in front of an app. What they execute in the end is the app, and what is named is what works.
var fronts = map[string]func(e *scripted, app string) (argv []string, named string){
	"dash -c": func(e *scripted, app string) ([]string, string) {
		return []string{"dash", "-c", fmt.Sprintf(work, e.done) + "; exec " + app}, "dash -c"
	},
	"bash -c": func(e *scripted, app string) ([]string, string) { // which executes the last command
		return []string{"bash", "-c", fmt.Sprintf(work, e.done) + " && exec " + app}, "bash -c"
	},
	"a script": func(e *scripted, app string) ([]string, string) {
		return []string{e.program("/bin/sh", "exec "+app)}, "start.sh"
	},
	shellInFront: func(e *scripted, app string) ([]string, string) { // dash stays in front of it
		return []string{"sh", "-c", e.program("/bin/bash", "exec "+app)}, "start.sh"
	},
	"arguments": func(e *scripted, app string) ([]string, string) {
		return append([]string{"bash", e.program("/bin/bash", `exec "$@"`)}, strings.Fields(app)...), "start.sh"
	},
	"two scripts": func(e *scripted, app string) ([]string, string) {
		second := e.write(e.path("second.sh"), "exec "+app+"\n")
		return []string{e.program("/bin/sh", "exec bash "+second)}, "start.sh"
	},
}

// app is the daemon behind a script, on one line.
func (e *scripted) app() string {
	return strings.Join(e.printer("-reload", "HUP", "-exit", "TERM=7"), " ")
}

// An edit comes while the entrypoint of a first start works: what is proved first is the edit that the app was started on, from its
// beginning on. The edit is taken after that.
func TestEntry_first(t *testing.T) {
	t.Parallel()
	for name, front := range fronts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEntry(t, "reload signal:HUP")
			e.web.swap(keys{"text": "first"})
			argv, _ := front(e, e.app())
			c := e.start(argv...)
			c.Says("work begins", 1)
			e.web.swap(keys{"text": "second"})
			c.tells(0, "that the app is at its entrypoint", func(r report) bool { return r.Phase == "beginning" && r.App.Entrypoint != nil })
			began := time.Now()
			c.Eventually("three probations", func() bool { return time.Since(began) > 600*time.Millisecond })
			c.wantLogged("generation accepted", 0)
			e.letEnd()
			c.Says("read first", 1)
			c.logs("generation accepted", 1) // the second one may be stored by now
			c.Says("read second", 1)
			c.accepts(2)
			if name == shellInFront { // which has no handler, and so is started again
				c.wantUncut(2)
				c.stops(143)
				return
			}
			c.wantUncut(1)
			c.tells(0, "that nothing works any more", func(r report) bool { return r.App.Entrypoint == nil })
			c.stops(7)
		})
	}
}

// A container starts again on an accepted edit, and another one comes while its entrypoint works: that waits, whatever it requires.
func TestEntry_again(t *testing.T) {
	t.Parallel()
	for name, front := range fronts {
		for _, action := range []string{"signal:HUP", "restart"} {
			t.Run(name+" "+action, func(t *testing.T) {
				t.Parallel()
				e := newEntry(t, "reload "+action)
				e.web.swap(keys{"text": "first"})
				argv, named := front(e, e.app())
				e.letEnd()
				e.accept(argv...)
				e.tookLong()
				e.works()
				c := e.start(argv...)
				c.Says("work begins", 1)
				e.web.swap(keys{"text": "second"})
				c.waitsFor(named)
				e.letEnd()
				c.Says("read second", 1)
				c.logs("generation accepted", 1)
				starts, code := 1, 7
				if name == shellInFront {
					code = 143
				}
				if action == "restart" || name == shellInFront { // which has no handler
					starts = 2
				}
				c.wantUncut(starts)
				c.stops(code)
			})
		}
	}
}

// An app without a script may have no handler yet when an edit comes right after its start. Nobody is told to write a script otherwise.
func TestEntry_none(t *testing.T) {
	t.Parallel()
	e := newEntry(t, "reload signal:HUP")
	e.web.swap(keys{"text": "first"})
	argv := e.printer("-reload", "HUP", "-exit", "TERM=7")
	e.accept(argv...)
	c := e.start(argv...)
	c.logs("app started", 1)
	e.web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.logs("generation accepted", 1)
	c.wantLogged("edit waits for the app's entrypoint", 0)
	c.stops(7)
}
