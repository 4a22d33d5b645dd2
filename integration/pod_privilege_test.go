package integration

import (
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// asRoot is a program that becomes root when nobody's group runs it.
func (s *setup) asRoot(program ...string) []string {
	s.t.Helper()
	argv, err := harness.AsRoot(s.dir, nobody)
	if err != nil {
		s.t.Fatal(err)
	}
	return append(argv, program...)
}

func newPrivileged(t *testing.T) *setup {
	t.Helper()
	s := newExit(t)
	s.runAs(nobody)
	return s
}

// An app that has become another user can't be signalled. confit logs that each time, and lives as long as the app.
func TestPrivilege_app(t *testing.T) {
	t.Parallel()
	s := newPrivileged(t)
	c := s.start(s.asRoot(app("-exit", "TERM=1,HUP=1,USR1=5")...)...)
	c.Says("ready", 1)
	for range 3 {
		c.Signal(syscall.SIGWINCH)
	}
	c.logs("cannot signal", 1)
	c.Signal(syscall.SIGTERM)
	c.logs("stop requested", 1)
	c.Signal(syscall.SIGTERM)
	c.logs("cannot signal", 3)
	if said := c.Texts("stdout", "signal"); len(said) > 0 || !c.Alive() {
		t.Errorf("the app says %q; confit lives: %v", said, c.Alive())
	}
	c.signalProcess(c.find(programs.app), syscall.SIGUSR1)
	c.Ends(5)
}

// The same in a restart: no second app is started beside one that can't be stopped, and confit obeys TERM as soon as it ends.
func TestPrivilege_restart(t *testing.T) {
	t.Parallel()
	s := newPrivileged(t)
	s.flag("--reload", "restart", "--stop-timeout", "100ms")
	c := s.start(s.asRoot(app("-exit", "USR1=5")...)...)
	c.Says("ready", 1)
	newVolume(t, s.path("volumes", "web")).swap(keys{"a": "second"})
	c.logs("cannot signal", 3)
	c.wantLogged("app started", 1)
	c.Signal(syscall.SIGTERM)
	c.logs("stop requested", 1)
	c.signalProcess(c.find(programs.app), syscall.SIGUSR1)
	c.Ends(5)
}

// confit waits for a leftover that can't be signalled, and then leaves it to the kernel.
func TestPrivilege_leftover(t *testing.T) {
	t.Parallel()
	s := newPrivileged(t)
	s.flag("--drain-timeout", "300ms")
	up := s.path("volumes", "up")
	script := []string{"sh", "-c", `up=$1; shift; "$@" & until [ -e $up ]; do sleep 0.02; done; exit 6`, "sh", up}
	c := s.start(append(script, s.asRoot("sh", "-c", "echo up; sleep 7654321")...)...)
	c.Says("up", 1)
	s.write(up, "")
	c.Ends(6)
	c.wantLogged("leftovers killed: they did not stop in time", 1)
}
