package confit

import (
	"testing"
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

// TERM ends every phase at once: with 143 before the app runs, else with the app's own code after its stop signal. No hook
// outlives it. Each phase runs once with confit as PID 1, where the kernel would end a forgotten hook, and once below another PID
// 1, which says what was left.
func TestTerm_phases(t *testing.T) {
	t.Parallel()
	for _, phase := range termPhases {
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
	p.reach(c)
	c.term()
	c.logs("stop requested", 1) // the app's end may change places with it
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

var goodKeys = keys{"a": "first", "check": "exit 0"}

// swapping swaps the volume of the phases.
func swapping(k keys) func(*confit) {
	return func(c *confit) {
		c.t.Helper()
		newVolume(c.t, c.setup.path("volumes", "web")).swap(k)
	}
}

var termPhases = []termPhase{
	{
		name: "first_validation", lines: []string{"validate sh {candidate}/web/check"},
		first: keys{"a": "first", "check": hang},
		reach: func(c *confit) { c.find("sleep 7654321") },
		code:  143,
	}, {
		name: "first_rendering", lines: []string{"render sh {candidate}/web/check"},
		first: keys{"a": "first", "check": hang},
		reach: func(c *confit) { c.find("sleep 7654321") },
		code:  143,
	}, {
		name: "rendering", lines: []string{"render sh {candidate}/web/check"}, app: []string{"-exit", "TERM=15"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": hang})(c)
			c.find("sleep 7654321")
		},
		finish: func(c *confit) { c.gone("sleep 7654321") },
		code:   15, apps: 1,
	}, {
		name: "running", app: []string{"-exit", "TERM=3"}, first: goodKeys,
		reach: func(*confit) {},
		code:  3, apps: 1,
	}, {
		name: "running_stop_signal", lines: []string{"stop-signal QUIT"}, app: []string{"-exit", "QUIT=4"}, first: goodKeys,
		reach: func(*confit) {},
		code:  4, apps: 1,
	}, {
		name: "app_killed_by_it", app: []string{"-unset", "TERM"}, first: goodKeys,
		reach: func(*confit) {},
		code:  143, apps: 1,
	}, {
		name: "settling", lines: []string{"settle 1h"}, app: []string{"-exit", "TERM=5"}, first: goodKeys,
		reach: swapping(keys{"a": "second", "check": "exit 0"}),
		code:  5, apps: 1,
	}, {
		name: "validation", lines: []string{"validate sh {candidate}/web/check"}, app: []string{"-exit", "TERM=6"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": hang})(c)
			c.find("sleep 7654321")
		},
		finish: func(c *confit) { c.gone("sleep 7654321") },
		code:   6, apps: 1,
	}, {
		name: "exec_hook", lines: []string{"reload exec:sh {candidate}/web/check"}, app: []string{"-exit", "TERM=7"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": hang})(c)
			c.find("sleep 7654321")
		},
		finish: func(c *confit) { c.gone("sleep 7654321") },
		code:   7, apps: 1,
	}, {
		name: "waiting_for_handler", app: []string{"-unset", "HUP", "-exit", "TERM=8"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": "exit 0"})(c)
			c.logs("generation published", 2)
		},
		code: 8, apps: 1,
	}, {
		name: "restart_wait", lines: []string{"reload restart", "stop-signal QUIT"}, app: []string{"-exit", "QUIT=9"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": "exit 0"})(c)
			c.Says("signal QUIT", 1) // the app waits for the file now
		},
		code: 9, apps: 1,
	}, {
		name: "after_a_rejection", lines: []string{"validate sh {candidate}/web/check"}, app: []string{"-exit", "TERM=10"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": "exit 1"})(c)
			c.logs("candidate rejected", 1)
		},
		code: 10, apps: 1,
	}, {
		name: "probation", lines: []string{"probation 1h"}, app: []string{"-exit", "TERM=11"}, first: goodKeys,
		reach: func(*confit) {},
		code:  11, apps: 1,
	}, {
		name: "verify", lines: []string{"verify sh {candidate}/web/check"}, app: []string{"-exit", "TERM=12"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": hang})(c)
			c.find("sleep 7654321")
		},
		finish: func(c *confit) { c.gone("sleep 7654321") },
		code:   12, apps: 1,
	}, {
		name: "roll_back", app: []string{"-exit", "TERM=13"}, first: goodKeys,
		lines: []string{"reload exec:sh -c 'grep -q second {candidate}/web/a && exit 1; exec sleep 7654321'"},
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": "exit 0"})(c)
			c.logs("rolled back", 1)
			c.find("sleep 7654321")
		},
		finish: func(c *confit) { c.gone("sleep 7654321") },
		code:   13, apps: 1,
	}, {
		name: "retry", lines: []string{"validate sh {candidate}/web/check", "retry 200ms"}, app: []string{"-exit", "TERM=14"}, first: goodKeys,
		reach: func(c *confit) {
			swapping(keys{"a": "second", "check": "exit 1"})(c)
			c.logs("candidate rejected", 2)
		},
		code: 14, apps: 1,
	},
}
