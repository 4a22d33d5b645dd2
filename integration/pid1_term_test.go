package integration

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// termPhase is one phase of confit in which TERM comes in.
type termPhase struct {
	name   string
	lines  []string          // of the links file
	app    []string          // flags of the app
	reach  func(*confit)     // brings confit into the phase
	finish func(*confit)     // lets the app end, where it waits to be let
	first  map[string]string // what the volume holds at first
	code   int
	apps   int // how many apps were started in all
}

const hang = "sleep 7654321 & sleep 7654321"

// TERM ends every phase at once: with 143 before the app runs, else with the app's own code, the app having had its stop
// signal. No hook outlives it. In each phase once with confit as PID 1, where the kernel would end a forgotten hook, and
// once below another PID 1, which tells what was left.
func TestTerm_phases(t *testing.T) {
	for _, phase := range termPhases() {
		for _, under := range []bool{false, true} {
			name := phase.name + "/pid_1"
			if under {
				name = phase.name + "/child"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				phase.run(t, under)
			})
		}
	}
}

func (p termPhase) run(t *testing.T, under bool) {
	s := newSetup(t)
	s.box.Under = under
	s.line("link web/a %s", s.target("a"))
	s.line("link web/check %s reload=none", s.target("check"))
	s.lines = append(s.lines, p.lines...)
	web := s.volume("web")
	web.swap(p.first)
	flags := append([]string{"-linger", s.path("release")}, p.app...)
	c := s.start(app(flags...)...)
	if p.apps > 0 {
		c.Says("ready", 1)
	}
	c.setup = s
	p.reach(c)
	c.term()
	if p.finish != nil {
		p.finish(c)
	}
	s.write(s.path("release"), "")
	c.Ends(p.code)
	c.wantLogged("app started", p.apps)
	c.wantCount("apps that ran", len(c.Texts("stdout", "ready")), p.apps)
	if left := c.Texts("stdout", "left behind"); len(left) > 0 {
		t.Errorf("confit left processes behind: %q", left)
	}
}

// term sends TERM to confit, be it PID 1 or not.
func (c *confit) term() {
	c.t.Helper()
	for _, p := range c.Processes() {
		if isConfit(p) {
			c.signalProcess(p, syscall.SIGTERM)
			return
		}
	}
	c.t.Fatal("confit isn't running")
}

func termPhases() []termPhase {
	good := keys{"a": "first", "check": "exit 0"}
	swap := func(k keys) func(*confit) {
		return func(c *confit) {
			c.t.Helper()
			newVolume(c.t, c.setup.path("volumes", "web")).swap(k)
		}
	}
	return []termPhase{
		{
			name: "first_validation", lines: []string{"validate sh {candidate}/web/check"},
			first: keys{"a": "first", "check": hang},
			reach: func(c *confit) { c.find("sleep 7654321") },
			code:  143,
		}, {
			name: "running", app: []string{"-exit", "TERM=3"}, first: good,
			reach: func(*confit) {},
			code:  3, apps: 1,
		}, {
			name: "running_stop_signal", lines: []string{"stop-signal QUIT"}, app: []string{"-exit", "QUIT=4"}, first: good,
			reach: func(*confit) {},
			code:  4, apps: 1,
		}, {
			name: "app_killed_by_it", app: []string{"-unset", "TERM"}, first: good,
			reach: func(*confit) {},
			code:  143, apps: 1,
		}, {
			name: "settling", lines: []string{"settle 1h"}, app: []string{"-exit", "TERM=5"}, first: good,
			reach: swap(keys{"a": "second", "check": "exit 0"}),
			code:  5, apps: 1,
		}, {
			name: "validation", lines: []string{"validate sh {candidate}/web/check"}, app: []string{"-exit", "TERM=6"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": hang})(c)
				c.find("sleep 7654321")
			},
			finish: func(c *confit) { c.gone("sleep 7654321") },
			code:   6, apps: 1,
		}, {
			name: "exec_hook", lines: []string{"reload exec:sh {candidate}/web/check"}, app: []string{"-exit", "TERM=7"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": hang})(c)
				c.find("sleep 7654321")
			},
			finish: func(c *confit) { c.gone("sleep 7654321") },
			code:   7, apps: 1,
		}, {
			name: "waiting_for_handler", app: []string{"-unset", "HUP", "-exit", "TERM=8"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": "exit 0"})(c)
				c.logs("generation published", 2)
			},
			code: 8, apps: 1,
		}, {
			name: "restart_wait", lines: []string{"reload restart", "stop-signal QUIT"}, app: []string{"-exit", "QUIT=9"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": "exit 0"})(c)
				c.Says("signal QUIT", 1) // the app waits for the file now
			},
			code: 9, apps: 1,
		}, {
			name: "after_a_rejection", lines: []string{"validate sh {candidate}/web/check"}, app: []string{"-exit", "TERM=10"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": "exit 1"})(c)
				c.logs("candidate rejected", 1)
			},
			code: 10, apps: 1,
		}, {
			name: "probation", lines: []string{"probation 1h"}, app: []string{"-exit", "TERM=11"}, first: good,
			reach: func(*confit) {},
			code:  11, apps: 1,
		}, {
			name: "verify", lines: []string{"verify sh {candidate}/web/check"}, app: []string{"-exit", "TERM=12"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": hang})(c)
				c.find("sleep 7654321")
			},
			finish: func(c *confit) { c.gone("sleep 7654321") },
			code:   12, apps: 1,
		}, {
			name: "roll_back", app: []string{"-exit", "TERM=13"}, first: good,
			lines: []string{"reload exec:sh -c 'grep -q second {candidate}/web/a && exit 1; exec sleep 7654321'"},
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": "exit 0"})(c)
				c.logs("rolled back", 1)
				c.find("sleep 7654321")
			},
			finish: func(c *confit) { c.gone("sleep 7654321") },
			code:   13, apps: 1,
		}, {
			name: "retry", lines: []string{"validate sh {candidate}/web/check", "retry 200ms"}, app: []string{"-exit", "TERM=14"}, first: good,
			reach: func(c *confit) {
				swap(keys{"a": "second", "check": "exit 1"})(c)
				c.logs("candidate rejected", 2)
			},
			code: 14, apps: 1,
		},
	}
}

// Between two apps, while what the old one left behind is waited for: there is no app to ask, and none is started any more.
func TestTerm_draining(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	c := s.start("sh", "-c", `(trap '' TERM; exec sleep 7654321) & echo ready; trap 'exit 0' TERM; while :; do wait; done`)
	c.find("sleep 7654321")
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.logs("app exited", 1)
	c.Signal(syscall.SIGTERM)
	c.Ends(143)
	c.wantLogged("app started", 1)
}

// TERM that came before the app's end in a restart is handled before it, also by a confit that learns of both at once: it was
// stopped, or the machine is busy. No other app is started.
func TestTerm_before_the_end(t *testing.T) {
	for i := range 8 { // the other order came up in every second
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, "restart")
			s.program = programs.shipped
			c := s.start(app("-linger", s.path("release"), "-exit", "TERM=9")...)
			c.Says("ready", 1)
			web.swap(keys{"a": "second"})
			c.Says("signal TERM", 1)
			c.Signal(syscall.SIGSTOP)
			c.Signal(syscall.SIGTERM)
			s.write(s.path("release"), "")
			c.Eventually("the app is a zombie", func() bool {
				return slices.ContainsFunc(c.Processes(), func(p harness.Process) bool { return p.State == "Z" })
			})
			c.Signal(syscall.SIGCONT)
			c.Ends(9)
			c.wantLogged("app started", 1)
		})
	}
}

// The same in a roll back, when the app has died of a bad edit. The next start finds the accepted generation.
func TestTerm_draining_in_a_roll_back(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--probation", "1h")
	c := s.start("sh", "-c", `(trap '' TERM HUP; exec sleep 7654321) & trap 'exit 3' HUP; trap 'exit 0' TERM; echo ready; while :; do wait; done`)
	c.find("sleep 7654321")
	c.Says("ready", 1)
	web.swap(keys{"text": "bad"})
	c.logs("rolled back", 1)
	c.logs("app exited", 1)
	c.Signal(syscall.SIGTERM)
	c.Ends(143)
	c.wantLogged("app started", 1)
	s.wantFiles(keys{"text": "first"})
	web.swap(keys{"text": "first"})
	s.start(s.printer()...).Says("read first", 1)
}

// When the platform asks confit to stop, the deadline is the platform's: an app that takes longer than --stop-timeout isn't
// killed.
func TestTerm_never_escalates(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.flag("--stop-timeout", "100ms")
	s.volume("web").swap(keys{"a": "first"})
	c := s.start(app("-exit", "TERM=9", "-delay", "1s")...)
	c.Says("ready", 1)
	c.Signal(syscall.SIGTERM)
	c.Ends(9)
}

// A second TERM is the app's too.
func TestTerm_twice(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.volume("web").swap(keys{"a": "first"})
	c := s.start(app("-exit", "USR1=9")...)
	c.Says("ready", 1)
	c.Signal(syscall.SIGTERM)
	c.Says("signal TERM", 1)
	c.Signal(syscall.SIGTERM)
	c.Says("signal TERM", 2)
	c.Signal(syscall.SIGUSR1)
	c.Ends(9)
}

// A real nginx is asked to stop gracefully.
func TestTerm_nginx(t *testing.T) {
	t.Parallel()
	s := newNginx(t)
	web := s.volume("web")
	s.flag("--stop-signal", "QUIT")
	web.swap(s.site("conf.d", page("a", "first")))
	c := s.start(s.nginx()...)
	c.serves("a", "first")
	c.Signal(syscall.SIGTERM)
	c.Ends(0)
	c.wantMention("gracefully shutting down")
}

// An app that is stopped, as by ^Z, doesn't hear that it is to end; so it is let go on. In a restart, too.
func TestTerm_stopped_app(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	c := s.start("sleep", "7654321")
	freeze := func() {
		c.signalProcess(c.find("sleep 7654321"), syscall.SIGSTOP)
		c.Eventually("the app is stopped", func() bool { return c.stopped() == 1 })
	}
	freeze()
	web.swap(keys{"a": "second"})
	c.logs("app started", 2)
	freeze()
	c.term()
	c.Ends(143)
}
