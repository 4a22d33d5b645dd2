package confit

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// Between two apps confit waits for what the old one left behind: there is no app to ask, and none is started any more.
func TestTerm_draining(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	c := s.start("sh", "-c", `(trap '' TERM; exec sleep 7654321) & echo ready; trap 'exit 0' TERM; while :; do wait; done`)
	c.findItself("sleep 7654321") // its shell has the same words, and may not ignore TERM yet
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.logs("app exited", 1)
	c.stops(143)
	c.wantLogged("app started", 1)
}

// In a restart, confit may learn of a TERM and of the app's end at once: it was stopped, or the machine is busy. Whichever it learns of
// first, it ends with the code of an app. If it was the end, one more app was started, and has got the TERM.
func TestTerm_before_the_end(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, "restart")
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
			harness.Eventually(t, "the end of confit", func() bool { return !c.Alive() })
			code, started := c.State().ExitCode(), len(c.entries("app started"))
			if code != 9 && (code != 143 || started != 2) || started > 2 { // the second one may not have had its handler yet
				t.Errorf("%v, and %d apps were started", c.State(), started)
			}
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
	c.findItself("sleep 7654321")
	c.Says("ready", 1)
	web.swap(keys{"text": "bad"})
	c.logs("rolled back", 1)
	c.logs("app exited", 1)
	c.stops(143)
	c.wantLogged("app started", 1)
	s.wantFiles(keys{"text": "first"})
	web.swap(keys{"text": "first"})
	s.start(s.printer()...).Says("read first", 1)
}

// When the platform asks confit to stop, the deadline is the platform's: confit doesn't kill an app that takes longer than
// --stop-timeout.
func TestTerm_never_escalates(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.flag("--stop-timeout", "100ms")
	s.volume("web").swap(keys{"a": "first"})
	c := s.start(app("-exit", "TERM=9", "-delay", "1s")...)
	c.Says("ready", 1)
	c.stops(9)
}

// A second TERM is the app's too.
func TestTerm_twice(t *testing.T) {
	t.Parallel()
	s := newExit(t)
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
	c.stops(0)
	c.wantMention("gracefully shutting down")
}

// An app that is stopped, as by ^Z, can't act on its stop signal. So confit sends CONT, also in a restart.
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

// WINCH, the stop signal of httpd, is ignored by default: an entrypoint script drops it. It is sent once, and no TERM follows. A restart
// ends such an app by KILL, where nobody waits until the script has executed it.
func TestTerm_dropped_stop_signal(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	s.flag("--stop-signal", "WINCH", "--stop-timeout", "300ms", "--entrypoint-timeout", "0")
	const script = `trap 'echo signal TERM' TERM; echo preparing; until [ -e $1 ]; do sleep 0.05; done; shift; exec "$@"`
	c := s.start(append([]string{"sh", "-c", script, "sh", s.path("go")}, app("-exit", "WINCH=9,TERM=8")...)...)
	c.Says("preparing", 1)
	web.swap(keys{"a": "second"})
	c.Says("preparing", 2)
	c.wantLogged("app killed: it did not stop in time", 1)
	s.write(s.path("go"), "")
	c.Says("ready", 1)
	c.stops(9)
	c.wantCount("signal TERM", len(c.Texts("stdout", "signal TERM")), 0)
}

// With --signal-group the whole group gets the stop signal.
func TestTerm_stop_signal_of_the_group(t *testing.T) {
	t.Parallel()
	s, _ := newReload(t, "restart")
	s.flag("--stop-signal", "WINCH", "--signal-group")
	c := s.start("sh", s.write(s.path("entrypoint"), "trap : TERM; "+programs.app+" -exit WINCH=9,TERM=8; exit $?"))
	c.Says("ready", 1)
	c.stops(9)
	c.wantCount("signal TERM", len(c.Texts("stdout", "signal TERM")), 0)
}
