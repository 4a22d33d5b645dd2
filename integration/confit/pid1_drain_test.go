package confit

import (
	"fmt"
	"syscall"
	"testing"
)

// leftover is a process that an app leaves behind when it ends with code 5. It says "up" when it is ready for the end.
type leftover struct {
	name   string
	script string // in $up is the file that lets the app end
	says   string // what it says on its way out; "" when only KILL ends it
}

var leftovers = []leftover{
	{"needs_time", `trap 'sleep 0.5; echo cleaned; exit' TERM; : >$up; while :; do sleep 0.05; done`, "cleaned"},
	{"left_the_session", `exec setsid sh -c "trap 'echo cleaned; exit' TERM; : >$up; while :; do sleep 0.05; done"`, "cleaned"},
	{"stopped", `trap 'echo cleaned; exit' TERM; me=$(exec sh -c 'echo $PPID')
		(until grep -q State:.T /proc/$me/status; do sleep 0.02; done; : >$up) & kill -STOP $me`, "cleaned"},
	{"ignores_TERM", `trap '' TERM; : >$up; exec sleep 7654321`, ""},
	{"its_own_child", `sh -c "trap 'echo cleaned; exit' TERM; : >$up; while :; do sleep 0.05; done" & trap '' TERM; wait; wait`, "cleaned"},
}

// A process that the app leaves behind gets TERM, and the time that it needs within --drain-timeout. The exit code is the app's.
// Small inits cut such a process off.
func TestDrain_at_the_end(t *testing.T) {
	t.Parallel()
	for _, l := range leftovers {
		for _, under := range []bool{false, true} {
			eachUser(t, fmt.Sprintf("%s/under_%v", l.name, under), func(t *testing.T, s *setup) {
				s.linkOne()
				s.box.Under = under
				if l.says == "" {
					s.flag("--drain-timeout", "300ms")
				} else {
					s.flag("--drain-timeout", "1m")
				}
				c := s.start("sh", "-c", fmt.Sprintf("up=%s; (%s) & until [ -e $up ]; do sleep 0.02; done; exit 5", s.path("up"), l.script))
				c.Ends(5)
				if l.says != "" {
					c.Says(l.says, 1)
				} else {
					c.wantLogged("leftovers killed: they did not stop in time", 1)
				}
				if left := c.Texts("stdout", "left behind"); len(left) > 0 {
					t.Errorf("confit left processes behind: %q", left)
				}
			})
		}
	}
}

// In a restart a process that has left the app's session ends, too. A shell that came in from outside, as kubectl exec makes one,
// doesn't: it is nobody's child here.
func TestDrain_restart(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	c := s.start("sh", "-c", `setsid sh -c 'trap "echo cleaned; exit" TERM; echo ready; while :; do sleep 0.05; done' &
		trap 'exit 0' TERM; while :; do sleep 0.05; done`)
	c.Says("ready", 1)
	visitor := c.Visit("-p", "-m", "sleep", "7654321")
	if err := visitor.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = visitor.Wait() }()
	defer func() { _ = visitor.Process.Kill() }()
	before := c.find("sleep 7654321")
	web.swap(keys{"a": "second"})
	c.logs("app started", 2)
	c.Says("cleaned", 1)
	c.Says("ready", 2)
	if now := c.find("sleep 7654321"); now.PID != before.PID {
		t.Errorf("the visitor is process %d, was %d", now.PID, before.PID)
	}
	c.signalProcess(before, syscall.SIGKILL)
}

// --map-signal, --map-exit: a JVM that TERM ends exits with 143, which a platform may take for an error.
func TestMap_signals_and_exit(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.line("map-signal INT:TERM,USR1:")
	s.line("map-signal USR2:WINCH")
	s.line("map-exit 143:0")
	s.flag("--stop-signal", "QUIT")
	c := s.start(app("-exit", "QUIT=143")...)
	c.Says("ready", 1)
	c.Signal(syscall.SIGUSR1)
	c.Signal(syscall.SIGUSR2)
	c.Says("signal WINCH", 1)
	c.Signal(syscall.SIGINT)
	c.Says("signal QUIT", 1)
	c.Ends(0)
	c.wantLogged("stop requested", 1)
	for _, name := range []string{"signal USR1", "signal USR2", "signal INT", "signal TERM"} {
		c.wantCount(name, len(c.Texts("stdout", name)), 0)
	}
}

// --signal-group: the whole pipeline gets the signal, not the first process alone.
func TestSignals_group(t *testing.T) {
	t.Parallel()
	for _, group := range []bool{true, false} {
		s := newExit(t)
		s.flag("--drain-timeout", "1m", fmt.Sprintf("--signal-group=%v", group))
		c := s.start("sh", "-c", fmt.Sprintf(`trap : USR1; %s -exit USR1=0,TERM=0 & %s -exit USR1=0,TERM=0 & wait; wait; wait; exit 6`, programs.app, programs.app))
		c.Says("ready", 2)
		c.Signal(syscall.SIGUSR1)
		if group {
			c.Ends(6)
			c.wantCount("members that got it", len(c.Texts("stdout", "signal USR1")), 2)
			continue
		}
		c.stops(143)
		c.wantCount("members that got it", len(c.Texts("stdout", "signal USR1")), 0)
	}
}
