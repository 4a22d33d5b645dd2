package confit

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// beside is a script that starts a helper, which starts one itself, and then executes its arguments.
const beside = `sh -c 'trap "echo helper ended; exit" TERM; sleep 7654321 & echo helper; while :; do sleep 0.05; done' & exec "$@"`

// What an entrypoint script started before it executed confit is no leftover: it is there after two restarts, which don't wait for it, and
// is ended at the end.
func TestHelper_outlives_restarts(t *testing.T) {
	for _, under := range []bool{false, true} {
		eachUser(t, map[bool]string{false: "pid1", true: "under"}[under], func(t *testing.T, s *setup) {
			s.box.Under = under
			web := s.linkOne()
			s.flag("--reload", "restart", "--drain-timeout", "1m")
			argv := s.commandOf(app("-exit", "TERM=7")...)
			c := s.startCommand(append([]string{"/bin/sh", "-c", beside, "beside"}, argv...)...)
			c.Says("helper", 1)
			c.Says("ready", 1)
			before := c.find("sleep 7654321")
			for n, text := range []string{"second", "third"} {
				web.swap(keys{"a": text})
				c.Says("ready", n+2)
			}
			if now := c.find("sleep 7654321"); now.PID != before.PID {
				t.Errorf("the helper's child is %v, was %v", now, before)
			}
			c.wantCount("helpers that ended", len(c.Texts("stdout", "helper ended")), 0)
			c.wantLogged("leftovers killed: they did not stop in time", 0)
			c.wantLogged("leftovers outside the app's group ended", 0)
			c.term()
			c.Ends(7)
			c.Says("helper ended", 1)
			c.wantLogged("app went to the background: what it left there is ended", 0)
		})
	}
}

// What a restart ends outside the app's group is named: a process in a session of its own, and an orphan of kubectl exec.
func TestHelper_what_is_none_is_named(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	s.line("drain-timeout 1m")
	argv := s.commandOf("sh", "-c", `setsid sleep 7654322 & sleep 7654323 & trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done`)
	c := s.startCommand(append([]string{"/bin/sh", "-c", beside, "beside"}, argv...)...)
	c.Says("ready", 1)
	if err := c.Visit("-p", "-m", "sh", "-c", "sleep 7654324 & exit 0").Run(); err != nil {
		t.Fatalf("the visitor: %v", err)
	}
	named := []harness.Process{c.findItself("sleep 7654322"), c.findItself("sleep 7654324")}
	web.swap(keys{"a": "second"})
	e := c.logs("leftovers outside the app's group ended", 1)
	c.Says("ready", 2)
	if e["count"] != "2" {
		t.Errorf("it has ended %v: %v", e["count"], e["processes"])
	}
	for _, p := range named {
		if want := "sleep(" + strconv.Itoa(p.Inner) + ")"; !strings.Contains(e["processes"], want) {
			t.Errorf("%v are named, without %s", e["processes"], want)
		}
	}
	c.gone("sleep 7654324")
	c.wantLogged("leftovers killed: they did not stop in time", 0)
	c.Signal(syscall.SIGTERM)
	c.Ends(7)
}
