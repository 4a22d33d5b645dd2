package confit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// The disk is full, so the published generation can't be taken back. As long as the app runs, that waits for the next rescan.
// When the app dies meanwhile, it can't be started before, so confit tries each second.
func TestPID1_app_dies_before_the_withdrawal(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "5s") // in which the disk is filled
	s.smallState()
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	script("until [ -e " + s.path("full") + " ]; do sleep 0.02; done; exit 7")
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.find(s.path("verifier"))
	c.Eventually("the trial of the verify hook", func() bool { // a record that can't be written would leave an inode
		record, _ := os.ReadFile(s.path("state", "trial"))
		return strings.Contains(string(record), `verify"`)
	})
	f := c.filler()
	f.leaveInodes(0)
	s.write(s.path("full"), "")
	c.wantRejected("verify", 1)
	if e := c.logs("cannot apply what is mounted", 1); !strings.Contains(e["error"], s.state) {
		t.Errorf("logged %v, want the state directory named", e)
	}
	c.signalProcess(c.find(programs.app+" "), syscall.SIGKILL)
	c.logs("app exited", 1)
	f.release()
	c.Says("ready", 2)
	c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
	c.wantLogged("app started", 2)
	s.wantFiles(keys{"text": "first"})
	script("exit 0")
	web.swap(keys{"text": "third"})
	c.Says("read third", 1)
	c.stops(0)
}

// visit leaves an orphan that came in from outside, as a shell of kubectl exec does. It needs half a second to end.
func (c *confit) visit() {
	c.t.Helper()
	script := fmt.Sprintf("(trap 'sleep 0.5; : >%s; exit' TERM; : >%s; while :; do sleep 0.05; done) &", c.setup.path("cleaned"), c.setup.path("visiting"))
	cmd := c.Visit("-p", "-m", "sh", "-c", script)
	if err := cmd.Run(); err != nil { // without pipes, which the orphan would hold open
		c.t.Fatalf("nsenter: %v", err)
	}
	c.Eventually("a visitor", func() bool { return exists(c.setup.path("visiting")) })
}

// wantSeenOut checks that the visitor was asked to leave and had the time for it.
func (c *confit) wantSeenOut() {
	c.t.Helper()
	c.Ends(143)
	if !exists(c.setup.path("cleaned")) {
		c.t.Error("the visitor was cut off")
	}
	c.wantLogged("app started", 1)
}

// Asked to stop between two apps, confit gives everybody the same time as after the end of an app.
func TestPID1_stopped_between_two_apps(t *testing.T) {
	t.Parallel()
	t.Run("draining", func(t *testing.T) {
		t.Parallel()
		s, web := newReload(t, "restart")
		s.flag("--drain-timeout", "5s")
		c := s.start("sh", "-c", `(trap '' TERM; exec sleep 7654321) & trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done`)
		c.findItself("sleep 7654321") // its shell has the same words, and may not ignore TERM yet
		c.Says("ready", 1)
		web.swap(keys{"a": "second"})
		c.logs("app exited", 1)
		c.visit()
		c.Signal(syscall.SIGTERM)
		c.wantSeenOut()
	})
	t.Run("starting", func(t *testing.T) {
		t.Parallel()
		s, web := newReload(t, "restart")
		s.flag("--drain-timeout", "1m")
		program := s.copyOf(programs.app)
		c := s.start(program)
		c.Says("ready", 1)
		next, err := os.OpenFile(program+".next", os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close() // what is open for writing can't be executed: ETXTBSY of execve(2)
		if err := os.Rename(program+".next", program); err != nil {
			t.Fatal(err)
		}
		web.swap(keys{"a": "second"})
		c.logs("app not started", 1)
		c.visit()
		c.Signal(syscall.SIGTERM)
		c.wantSeenOut()
	})
}

// A validator has failed, and was reaped. Somebody else holds its output open, so confit still waits for that. Meanwhile its pid
// is free: an orphan that gets the pid and ends well isn't the validator.
func TestPID1_reused_pid(t *testing.T) {
	t.Parallel()
	const rounds = 20
	s, web := newProved(t)
	s.lines[1] = "reload none"
	s.line("validate sh %s {candidate}", s.write(s.path("validator"), fmt.Sprintf(`
cd %s
grep -q bad $1/web/text || exit 0
rm -f up
setsid sh -c ': >up; exec sleep 7654321' &
until [ -e up ]; do sleep 0.01; done
echo $$ >pid.new; mv pid.new pid
exit 1`, s.dir)))
	s.flag("--retry", "5m")
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	c := s.start(programs.unruly, "reuse", s.path("pid"), "7")
	c.logs("app started", 1)
	for n := range rounds {
		web.swap(keys{"text": fmt.Sprintf("bad %d", n)})
		c.Eventually("the orphan", func() bool { return len(c.Texts("stdout", "reused"))+len(c.Texts("stdout", "missed")) > n })
		c.wantRejected("validate", n+1)
		s.wantFiles(keys{"text": "first"})
	}
	if reused := len(c.Texts("stdout", "reused")); reused < rounds/2 {
		t.Errorf("the pid was reused %d times out of %d", reused, rounds)
	}
	c.wantLogged("candidate rejected", rounds)
	web.swap(keys{"text": "second"})
	c.accepts(1)
	c.stops(7)
}
