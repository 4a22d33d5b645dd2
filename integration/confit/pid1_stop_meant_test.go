package confit

import (
	"fmt"
	"syscall"
	"testing"
)

// The STOPSIGNAL of an image may be any other, too: httpd has WINCH, haproxy USR1. If the app ends by it as asked, with 0, by it, or
// with 128 and its number, that was a stop, also in a probation, and after auto's HUP.
func TestStop_any_signal(t *testing.T) {
	for name, test := range map[string]struct {
		sig    syscall.Signal
		lines  []string
		app    []string
		script string
		code   int
	}{
		"winch":         {sig: syscall.SIGWINCH, lines: []string{"reload signal:HUP"}, app: []string{"-exit", "WINCH=0"}},
		"usr1_and_auto": {sig: syscall.SIGUSR1, lines: []string{"reload auto"}, app: []string{"-exit", "USR1=0"}},
		"by_it":         {sig: syscall.SIGUSR2, lines: []string{"reload signal:HUP"}, app: []string{"-unset", "USR2"}, code: 140},
		"128":           {sig: syscall.SIGUSR1, lines: []string{"reload signal:HUP"}, app: []string{"-exit", "USR1=138"}, code: 138},
		"stop_signal":   {sig: syscall.SIGUSR1, lines: []string{"reload signal:HUP", "stop-signal USR1"}, app: []string{"-exit", "USR1=3"}, code: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newStop(t)
			s.lines = append(s.lines, test.lines...)
			s.flag("--probation", "1h")
			c := s.start(app(append([]string{"-print", s.target("a")}, test.app...)...)...)
			c.Says("ready", 1)
			web.swap(keys{"a": "second", "check": "exit 0"})
			c.Says("read second", 1)
			c.logs("app reloaded", 1)
			c.Signal(test.sig)
			c.Ends(test.code)
			c.wantLogged("app started", 1)
			c.wantLogged("candidate rejected", 0)
			c.wantLogged("rolled back", 0)
		})
	}
}

// An end of another kind is the edit's, and a signal that makes the app reload is no stop. Neither holds up an edit.
func TestStop_any_signal_tells_nothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, sig syscall.Signal
		exit        string
	}{
		"another_code":      {syscall.SIGWINCH, syscall.SIGUSR1, "USR1=1"},
		"the_reload_signal": {syscall.SIGHUP, syscall.SIGUSR2, "USR2=0"},
		"job_control":       {syscall.SIGHUP, syscall.SIGTTIN, "TTIN=0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newStop(t)
			s.line("reload signal:HUP")
			s.line("link web/b %s reload=signal:USR2", s.target("b"))
			k := func(a string) keys { return keys{"a": a, "b": "", "check": "exit 0"} }
			web.swap(k("first"))
			s.accept(app()...)
			s.flag("--probation", "1h", "--stop-timeout", "1h")
			c := s.start(app("-print", s.target("a"), "-exit", test.exit+",TERM=0")...)
			c.Says("ready", 1)
			c.Signal(test.before)
			web.swap(k("second"))
			c.Says("read second", 1)
			c.logs("app reloaded", 1)
			c.Signal(test.sig)
			c.wantRejected("probation", 1)
			c.Says("ready", 2)
			c.stops(0)
		})
	}
}

// preStopped is an app that a preStop hook ends at USR2. The one that is started after that asks confit to stop, as the platform does
// when its hook has ended.
const preStopped = `trap 'echo read $(cat %[1]s)' HUP; trap 'exit 0' TERM; trap ': >%[2]s; exit 0' USR2
	echo ready; [ ! -e %[2]s ] || kill -TERM $PPID; while :; do sleep 0.05; done`

// A preStop hook ends the app in the probation of an edit, and TERM comes a moment later. The app is started on the accepted
// generation at once; but nobody is to blame, and the next start begins with the edit.
func TestStop_pre_stop_hook(t *testing.T) {
	for range 10 { // on a busy machine the moment may be too long
		s, web := newStop(t)
		s.line("reload signal:HUP")
		s.line("report sh -c 'echo outcome $CONFIT_OUTCOME'")
		s.flag("--probation", "1h")
		c := s.start("sh", "-c", fmt.Sprintf(preStopped, s.target("a"), s.path("hooked")))
		c.Says("ready", 1)
		web.swap(keys{"a": "second", "check": "exit 0"})
		c.Says("read second", 1)
		c.logs("app reloaded", 1)
		c.signalProcess(c.find("sh -c trap"), syscall.SIGUSR2)
		c.Ends(0)
		c.wantLogged("rolled back", 1)
		c.wantLogged("app started", 2)
		if len(c.entries("candidate rejected")) > 0 {
			continue
		}
		c.wantCount("outcomes", len(c.Texts("stderr", "outcome r")), 0)
		next := s.start(app("-print", s.target("a"))...)
		next.Says("read second", 1)
		return
	}
	t.Error("the verdict was passed each time")
}
