package confit

import (
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// stopPhase is a phase of confit in which somebody asks the app to end, by a signal that isn't confit's own.
type stopPhase struct {
	name  string
	lines []string      // of the links file
	app   []string      // flags of the app
	edit  keys          // what is swapped in
	reach func(*confit) // waits for the phase
}

// stopPhases are all phases in which an app runs and something is under way. In some of them the edit is published.
func stopPhases() []stopPhase {
	quick := keys{"a": "second", "check": "exit 0"}
	slow := keys{"a": "second", "check": hang}
	hook := func(c *confit) { c.find("sleep 7654321") }
	reloaded := func(c *confit) { c.Says("read second", 1) }
	return []stopPhase{
		{"settling", []string{"settle 1h"}, nil, quick, func(*confit) {}},
		{"validating", []string{"validate sh {candidate}/web/check"}, nil, slow, hook},
		{"validating_published", []string{"validate sh -c 'sh $CONFIT_CANDIDATE/web/check'"}, nil, slow, hook},
		{"splaying", []string{"splay 100000h"}, nil, quick, func(c *confit) {
			c.tells(0, "a swap that waits", func(st report) bool { return st.Phase == "splaying" })
		}},
		{"waiting_for_a_handler", []string{"reload signal:USR2"}, []string{"-unset", "USR2"}, quick, func(c *confit) {
			c.logs("generation published", 2)
		}},
		{"exec_hook", []string{"reload exec:sh {candidate}/web/check"}, nil, slow, hook},
		{"restarting", []string{"reload restart", "stop-signal USR2"}, nil, quick, func(c *confit) { c.Says("signal USR2", 1) }},
		{"proving", []string{"probation 1h"}, nil, quick, reloaded},
		{"verifying", []string{"verify sh {candidate}/web/check"}, nil, slow, hook},
		{"between_two_verifications", []string{"verify grep -q first {candidate}/web/a", "verify-timeout 1h"}, nil, quick, reloaded},
		{"proving_after_a_roll_back", []string{"verify grep -q first {candidate}/web/a", "verify-timeout 1s", "probation 1h"}, nil, quick,
			func(c *confit) {
				c.Says("read first", 2)
				c.logs("rolled back", 1) // comes through another pipe
			}},
	}
}

// A platform or a person asks an app to end by INT or QUIT; an image may name one as its STOPSIGNAL. In every phase the app's end
// is confit's end then: no edit is to blame, and nothing is started again.
func TestStop_phases(t *testing.T) {
	t.Parallel()
	for _, phase := range stopPhases() {
		for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT} {
			t.Run(phase.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				phase.run(t, sig)
			})
		}
	}
}

func (p stopPhase) run(t *testing.T, sig syscall.Signal) {
	s, web := newStop(t)
	s.lines = append(s.lines, p.lines...)
	flags := append([]string{"-print", s.target("a"), "-exit", "INT=9,QUIT=9"}, p.app...)
	c := s.start(app(flags...)...)
	c.Says("ready", 1)
	web.swap(p.edit)
	p.reach(c)
	rejected := len(c.entries("candidate rejected"))
	c.Signal(sig)
	c.Ends(9)
	c.wantStopped(sig, rejected)
}

// newStop is a setup with two keys. A former confit has accepted "first".
func newStop(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.line("link web/check %s reload=none", s.target("check"))
	web := s.volume("web")
	web.swap(keys{"a": "first", "check": "exit 0"})
	s.accept(app()...)
	return s, web
}

// wantStopped checks that the app had its signal, and that confit took its end for a stop.
func (c *confit) wantStopped(sig syscall.Signal, rejected int) {
	c.t.Helper()
	c.wantCount("signal "+harness.SignalName(sig), len(c.Texts("stdout", "signal "+harness.SignalName(sig))), 1)
	c.wantLogged("app started", 1)
	c.wantLogged("candidate rejected", rejected)
	c.wantLogged("rolled back", rejected)
	if n := c.setup.stored(); n.Number != 1 {
		c.t.Errorf("stored: %v", n)
	}
}

// newUnhurried is a setup whose app takes INT and QUIT for questions, as a JVM does. It ends at USR1 and USR2.
func newUnhurried(t *testing.T, flags ...string) (*setup, *volume, []string) {
	t.Helper()
	s, web := newStop(t)
	s.line("reload signal:HUP")
	s.flag(flags...)
	return s, web, app("-print", s.target("a"), "-exit", "USR1=8,USR2=9,TERM=0")
}

// As long as the app may be on its way out, confit begins nothing: an edit waits, and nobody sees it.
func TestStop_nothing_begins(t *testing.T) {
	t.Parallel()
	s, web, app := newUnhurried(t, "--stop-timeout", "1h")
	c := s.start(app...)
	c.Says("ready", 1)
	c.Signal(syscall.SIGQUIT)
	c.Says("signal QUIT", 1)
	web.swap(keys{"a": "second", "check": "exit 0"})
	for n := range 20 { // all of which confit has handled after the swap
		c.Signal(syscall.SIGWINCH)
		c.Says("signal WINCH", n+1)
	}
	c.Signal(syscall.SIGUSR1)
	c.Ends(8)
	c.wantStopped(syscall.SIGQUIT, 0)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 0)
	s.wantFiles(keys{"a": "first"})
}

// An app that lives on was asked something else: the edit comes into force after --stop-timeout, not before. An app that dies of
// the edit then is rolled back.
func TestStop_lapses(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, app := newUnhurried(t, "--stop-timeout", "2s", "--probation", "1h")
			c := s.start(app...)
			c.Says("ready", 1)
			asked := time.Now()
			c.Signal(sig)
			c.Says("signal "+name, 1)
			web.swap(keys{"a": "second", "check": "exit 0"})
			c.Says("read second", 1)
			if waited := time.Since(asked); waited < 2*time.Second { // it is never sooner, however busy the machine
				t.Errorf("the edit came into force after %v, want it to wait for 2s", waited)
			}
			c.signalProcess(c.find(programs.app+" "), syscall.SIGKILL)
			c.wantRejected("probation", 1)
			c.Says("ready", 2)
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
			c.stops(0)
		})
	}
}

// What counts is the signal that the app gets.
func TestStop_mapped(t *testing.T) {
	t.Parallel()
	t.Run("from_QUIT", func(t *testing.T) {
		t.Parallel()
		s, web, app := newUnhurried(t, "--probation", "1h", "--map-signal", "QUIT:USR1")
		c := s.start(app...)
		c.Says("ready", 1)
		web.swap(keys{"a": "second", "check": "exit 0"})
		c.Says("read second", 1)
		c.Signal(syscall.SIGQUIT)
		c.wantRejected("probation", 1)
		c.Says("ready", 2)
		c.wantCount("signal USR1", len(c.Texts("stdout", "signal USR1")), 1)
		c.stops(0)
	})
	t.Run("to_QUIT", func(t *testing.T) {
		t.Parallel()
		s, web := newStop(t)
		s.line("reload signal:HUP")
		s.flag("--probation", "1h", "--map-signal", "USR1:QUIT")
		c := s.start(app("-print", s.target("a"), "-exit", "QUIT=9")...)
		c.Says("ready", 1)
		web.swap(keys{"a": "second", "check": "exit 0"})
		c.Says("read second", 1)
		c.Signal(syscall.SIGUSR1)
		c.Ends(9)
		c.wantStopped(syscall.SIGQUIT, 0)
	})
}

// A key on the terminal that ends the app is a stop, like a signal from outside. confit doesn't get it: the terminal sends it to
// the app's group.
func TestStop_terminal(t *testing.T) {
	for name, test := range map[string]struct {
		key  string
		code int
	}{"INT": {harness.CtrlC, 130}, "QUIT": {"\x1c", 131}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newStop(t)
			s.line("reload signal:HUP")
			s.flag("--probation", "1h")
			k := s.onTerminal()
			c := s.start("sh", "-c", `ulimit -c 0; exec "$@"`, "sh", programs.app, "-print", s.target("a"), "-unset", "INT,QUIT")
			k.shows("ready")
			web.swap(keys{"a": "second", "check": "exit 0"})
			k.shows("read second")
			k.types(test.key)
			c.Ends(test.code)
			k.lacks("candidate rejected")
			k.lacks("rolled back")
			if n := s.stored(); n.Number != 1 {
				t.Errorf("stored: %v", n)
			}
		})
	}
}

// With --adopt, an app that leaves a successor behind at QUIT, as nginx does, hasn't ended: the next edit reloads the successor.
func TestStop_successor(t *testing.T) {
	t.Parallel()
	s, web := newStop(t)
	s.line("reload signal:HUP")
	s.flag("--adopt", "--stop-timeout", "1h")
	c := s.start("sh", s.write(s.path("daemon"), `
if [ "$1" = successor ]; then trap 'echo reloaded' HUP; trap 'exit 9' TERM; echo successor; : >$0.up; while :; do sleep 0.05; done; fi
trap 'setsid sh $0 successor & until [ -e $0.up ]; do sleep 0.05; done; exit 0' QUIT; echo ready; while :; do sleep 0.05; done`))
	c.Says("ready", 1)
	c.Signal(syscall.SIGQUIT)
	c.Says("successor", 1)
	c.logs("app adopted", 1)
	web.swap(keys{"a": "second", "check": "exit 0"})
	c.Says("reloaded", 1)
	c.accepts(1)
	c.stops(9)
	c.wantLogged("app started", 1)
}
