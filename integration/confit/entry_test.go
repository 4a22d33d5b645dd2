package confit

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
	s.flag("--entrypoint-timeout", "30m", "--probation", "200ms", "--rescan", "1s") // the default, also for what looks like a shell for life
	return &scripted{s, web, s.path("done")}
}

// script writes one of this shell that works, and then goes on with a command.
func (e *scripted) script(shell, then string) string {
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

// sheltering ends a script. On a busy machine HUP may come before the app has its handler, and a Go program would die of it.
const sheltering = "trap '' HUP; exec "

// front is a way in which a script comes in front of an app. It executes the app in the end.
type front struct {
	argv    func(e *scripted, app string) []string
	named   string                  // what works there, as confit names it
	stays   bool                    // and gets the signals: it has no handler for HUP, and dies of TERM
	deaf    bool                    // and blocks HUP
	through func(*testing.T) string // the command line that runs confit
}

var fronts = map[string]front{
	"dash -c": {named: "dash -c", argv: func(e *scripted, app string) []string {
		return []string{"dash", "-c", fmt.Sprintf(work, e.done) + "; " + sheltering + app}
	}},
	"bash -c": {named: "bash -c", argv: func(e *scripted, app string) []string { // which executes the last command
		return []string{"bash", "-c", fmt.Sprintf(work, e.done) + " && " + sheltering + app}
	}},
	"a script": {named: "start.sh", argv: func(e *scripted, app string) []string {
		return []string{e.script("/bin/sh", sheltering+app)}
	}},
	"a script of sh -c": {named: "start.sh", stays: true, argv: func(e *scripted, app string) []string { // dash stays in front of it
		return []string{"sh", "-c", e.script("/bin/bash", "exec "+app)}
	}},
	"arguments": {named: "start.sh", argv: func(e *scripted, app string) []string {
		return append([]string{"bash", e.script("/bin/bash", sheltering+`"$@"`)}, strings.Fields(app)...)
	}},
	"two scripts": {named: "start.sh", argv: func(e *scripted, app string) []string {
		second := e.write(e.path("second.sh"), sheltering+app+"\n")
		return []string{e.script("/bin/sh", "exec bash "+second)}
	}},
}

// starts is how often the app is started in a container that takes one edit.
func (f front) starts(action string) int {
	if action == "restart" || f.stays {
		return 2
	}
	return 1
}

// code is that of a stop.
func (f front) code() int {
	if f.stays {
		return 143
	}
	return 7
}

// eachFront runs a test for each front, and each way to take an edit.
func eachFront(t *testing.T, fronts map[string]front, test func(e *scripted, f front, action string)) {
	t.Helper()
	for name, f := range fronts {
		for _, action := range []string{"signal:HUP", "restart"} {
			if f.deaf && action != "restart" {
				continue
			}
			t.Run(name+" "+action, func(t *testing.T) {
				t.Parallel()
				e := newEntry(t, "reload "+action)
				e.web.swap(keys{"text": "first"})
				if f.through != nil {
					e.program = e.write(e.path("confit.sh"), fmt.Sprintf("#!/bin/sh\n%s %s \"$@\"\n", f.through(t), e.program))
				}
				test(e, f, action)
			})
		}
	}
}

// app is the daemon behind a script, on one line.
func (e *scripted) app() string {
	return strings.Join(e.printer("-reload", "HUP", "-exit", "TERM=7"), " ")
}

// An edit comes while the entrypoint of a first start works: what is proved first is the edit that the app was started on, from its
// beginning on. The edit is taken after that.
func TestEntry_first(t *testing.T) {
	t.Parallel()
	eachFront(t, fronts, first)
}

func first(e *scripted, f front, action string) { e.takesAfterTheFirst(f, action).stops(f.code()) }

func (e *scripted) takesAfterTheFirst(f front, action string) *confit {
	c := e.start(f.argv(e, e.app())...)
	c.Says("work begins", 1)
	e.web.swap(keys{"text": "second"})
	c.tells(0, "that the app is at its entrypoint", func(r report) bool { return r.Phase == "beginning" && r.App.Entrypoint != nil })
	began := time.Now()
	c.Eventually("three probations", func() bool { return time.Since(began) > 600*time.Millisecond })
	c.wantLogged("generation accepted", 0)
	c.wantLogged("app started", 1)
	e.letEnd()
	c.logs("generation accepted", 1)
	c.Says("read second", 1)
	c.accepts(2)
	c.wantUncut(f.starts(action))
	if !f.stays { // which looks like a script that executes nothing
		c.tells(0, "that nothing works any more", func(r report) bool { return r.App.Entrypoint == nil })
	}
	return c
}

// A container starts again on an accepted edit, and another one comes while its entrypoint works: that waits, whatever it requires.
func TestEntry_again(t *testing.T) {
	t.Parallel()
	eachFront(t, fronts, again)
}

func again(e *scripted, f front, action string) { e.takesAfterTheWork(f, action).stops(f.code()) }

func (e *scripted) takesAfterTheWork(f front, action string) *confit {
	c := e.waits(f)
	e.letEnd()
	c.takesSecond(f, action)
	return c
}

func (e *scripted) waits(f front) *confit {
	c := e.again(f.argv(e, e.app())...)
	e.web.swap(keys{"text": "second"})
	c.waitsFor(f.named)
	return c
}

func (c *confit) takesSecond(f front, action string) {
	c.Says("read second", 1)
	c.logs("generation accepted", 1)
	c.wantUncut(f.starts(action))
}

// again is a container that starts again on "first", which one before has accepted, and whose script works.
func (e *scripted) again(argv ...string) *confit {
	e.t.Helper()
	e.letEnd()
	e.accept(argv...)
	return e.next(argv)
}

// next is a container that starts on what one before has accepted, and whose script works.
func (e *scripted) next(argv []string) *confit {
	e.t.Helper()
	e.tookLong()
	e.works()
	c := e.start(argv...)
	c.Says("work begins", 1)
	return c
}

// An app without a script may have no handler yet when an edit comes right after its start. Nobody is told to write a script otherwise.
func TestEntry_none(t *testing.T) {
	t.Parallel()
	e := newEntry(t, "reload signal:HUP")
	e.web.swap(keys{"text": "first"})
	e.box.Ignored = []syscall.Signal{syscall.SIGHUP} // or a Go program would die of one that comes before its handler
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
