package confit

import (
	"strings"
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

// An app that has become another user can't be signalled. confit logs that once, and lives as long as the app.
func TestPrivilege_app(t *testing.T) {
	t.Parallel()
	s := newPrivileged(t)
	c := s.start(s.asRoot(app("-exit", "TERM=1,HUP=1,USR1=5")...)...)
	c.Says("ready", 1)
	for range 3 {
		c.Signal(syscall.SIGWINCH)
	}
	c.logs("app can't be signalled", 1)
	c.Signal(syscall.SIGTERM)
	c.logs("stop requested", 1)
	c.Signal(syscall.SIGTERM)
	c.wantLogged("app can't be signalled", 1)
	if said := c.Texts("stdout", "signal"); len(said) > 0 || !c.Alive() {
		t.Errorf("the app says %q; confit lives: %v", said, c.Alive())
	}
	c.signalProcess(c.find(programs.app), syscall.SIGUSR1)
	c.Ends(5)
}

// An edit of such an app is rejected before anything is visible, whether it would be signalled or restarted. The status says what to
// do about that. The app goes on, and no second one is started beside it.
func TestPrivilege_edit(t *testing.T) {
	for _, action := range []string{"auto", "signal:HUP", "restart"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := newPrivileged(t)
			s.flag("--reload", action, "--stop-timeout", "100ms")
			c := s.start(s.asRoot(app("-exit", "USR1=5")...)...)
			c.Says("ready", 1)
			newVolume(t, s.path("volumes", "web")).swap(keys{"a": "second"})
			c.wantBeyond()
			c.wantLogged("generation published", 1)
			c.wantLogged("app reloaded", 0)
			c.signalProcess(c.find(programs.app), syscall.SIGUSR1)
			c.Ends(5)
		})
	}
}

// wantBeyond waits for the rejection of an edit that the app can't be told of, and checks what the status says.
func (c *confit) wantBeyond() {
	c.t.Helper()
	if e := c.logs("candidate rejected", 1); e["step"] != "reload" || !strings.Contains(e["reason"], "add the capability KILL") {
		c.t.Errorf("rejected by %v", e)
	}
	c.tells(3, "why the app can't be told", func(st report) bool {
		return strings.Contains(st.Trouble, "cannot signal the app: operation not permitted") && st.Rejection.Step == "reload" && st.Live.Generation == 1
	})
	c.setup.wantFiles(keys{"a": "first"})
	c.wantLogged("app can't be signalled", 1)
	c.wantLogged("app started", 1)
}

// The same when the app becomes another user only after the publish, for which its script waits: that is withdrawn, and no restart is tried
// for longer than it takes to see that.
func TestPrivilege_edit_afterwards(t *testing.T) {
	for _, action := range []string{"signal:HUP", "restart"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := newPrivileged(t)
			s.flag("--reload", action, "--stop-timeout", "1h", "--entrypoint-timeout", "0")
			published, changed := s.path("published"), s.path("changed")
			s.line("validate sh -c 'grep -q first %s && exit; : >%s; until [ -e %s ]; do sleep 0.05; done'", s.target("a"), published, changed)
			become := s.asRoot("sh", "-c", `: >$1; shift; exec "$@"`, "sh", changed)
			script := []string{"sh", "-c", `echo ready; until [ -e $1 ]; do sleep 0.05; done; shift; exec "$@"`, "sh", published}
			c := s.start(append(append(script, become...), app("-exit", "USR1=5")...)...)
			c.Says("ready", 1)
			newVolume(t, s.path("volumes", "web")).swap(keys{"a": "second"})
			c.wantBeyond()
			c.wantLogged("generation withdrawn", 1)
			c.wantLogged("app reloaded", 0)
			c.Says("ready", 2) // only now it takes the signal
			c.signalProcess(c.find(programs.app), syscall.SIGUSR1)
			c.Ends(5)
		})
	}
}

// capabilities: {drop: [ALL], add: [SETUID, SETGID]}, with which many images become another user. confit warns soon after the
// start that even TERM won't reach the app; an edit is rejected.
func TestPrivilege_capabilities(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.flag("--reload", "signal:HUP", "--rescan", "200ms")
	few := []string{"/usr/bin/setpriv", "--bounding-set=-all,+setuid,+setgid", "--inh-caps=-all"}
	other := []string{"--", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	c := s.startCommand(append(append(append(few, s.command()...), other...), app("-exit", "TERM=1,USR1=5")...)...)
	c.Says("ready", 1)
	if e := c.logs("app can't be signalled", 1); !strings.Contains(e["error"], "add the capability KILL, or run confit as the app's user; without either only reload exec:COMMAND takes an edit") {
		t.Errorf("logged %v", e)
	}
	c.tells(0, "that the app can't be signalled", func(st report) bool { return st.Trouble != "" && st.Rejection.Step == "" })
	newVolume(t, s.path("volumes", "web")).swap(keys{"a": "second"})
	c.wantBeyond()
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
