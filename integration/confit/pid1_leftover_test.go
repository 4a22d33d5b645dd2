package confit

import (
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// A leftover may have another process for its parent in the kernel's eyes, its tracer: ptrace(2). It may run, be in a stop of the
// tracer's, or be dead with its status left for the tracer, who may ignore TERM. All of it is gone at the end, and confit waits
// only for the one that ignores TERM.
func TestLeftover_traced(t *testing.T) {
	for _, how := range []string{"running", "stopped", "dead", "stubborn"} {
		for _, under := range []bool{false, true} {
			eachUser(t, fmt.Sprintf("%s/under_%v", how, under), func(t *testing.T, s *setup) {
				s.box.Under = under
				killed := 0
				s.flag("--drain-timeout", "1m")
				if how == "stubborn" {
					s.flag("--drain-timeout", "300ms")
					killed = 1
				}
				s.linkOne()
				c := s.start(programs.unruly, "traced", "left-"+how, "5")
				c.Ends(5)
				c.Says("traced", 1)
				c.wantLogged("leftovers killed: they did not stop in time", killed)
				if left := c.Texts("stdout", "left behind"); len(left) > 0 {
					t.Errorf("confit left processes behind: %q", left)
				}
			})
		}
	}
}

// A zombie that belongs to its tracer can't be reaped. confit neither waits for it nor spins.
func TestLeftover_zombie_of_a_tracer(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		web := s.linkOne()
		s.flag("--reload", "signal:USR1", "--validate", "test -e {candidate}/web/a")
		c := s.start(programs.unruly, "traced", "dead", "7")
		c.Says("traced", 1)
		c.Eventually("the zombie", c.zombie)
		for n := range 5 { // each hook's end makes confit look for the dead
			web.swap(keys{"a": fmt.Sprint(n)})
			c.Says("asked", n+1)
		}
		if !c.zombie() {
			t.Error("the zombie is gone: nothing was shown")
		}
		before := c.ticks()
		c.Signal(syscall.SIGUSR1)
		c.Says("asked", 6)
		if spent := c.ticks() - before; spent > 50 {
			t.Errorf("confit ran for %d ticks to forward one signal", spent)
		}
		c.stops(7)
	})
}

// ticks is how long confit's threads have run, in hundredths of a second.
func (c *confit) ticks() int {
	c.t.Helper()
	ticks, err := c.Ticks()
	if err != nil {
		c.t.Fatal(err)
	}
	return ticks
}

// Where confit isn't PID 1, it leaves other processes of the same user alone: neither a restart nor the end signals them.
// Containers that share a PID namespace run so.
func TestLeftover_others_are_spared(t *testing.T) {
	t.Parallel()
	eachUser(t, "", func(t *testing.T, s *setup) {
		s.box.Under = true
		web := s.linkOne()
		s.flag("--reload", "restart", "--drain-timeout", "300ms")
		c := s.start("sh", "-c", ignoresTERM+` & (setsid sh -c 'echo up; exec sleep 7654321' &)
			trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done`)
		c.Says("ready", 1)
		uid := strconv.Itoa(s.box.UID)
		visitor := c.Visit("-p", "-m", "-S", uid, "-G", uid, programs.app)
		said := &harness.Transcript{}
		visitor.Env, visitor.Stdout = []string{harness.RoleVariable + "=app"}, said.Stream("stdout")
		visitor.WaitDelay = time.Second // its child has the pipe, too, and may live on where this test fails
		if err := visitor.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = visitor.Wait() }()
		defer func() { _ = visitor.Process.Kill() }()
		c.Eventually("the visitor", func() bool { return len(said.Texts("stdout", "ready")) == 1 })
		web.swap(keys{"a": "second"})
		c.logs("app started", 2)
		c.Says("ready", 2)
		c.term()
		c.logs("app exited", 2)
		c.Eventually("the end of confit", func() bool { return !slices.ContainsFunc(c.Processes(), isConfit) })
		c.signalProcess(c.find(programs.app), syscall.SIGKILL) // PID 1 waits for it
		c.Ends(7)
		if got := said.Texts("stdout", "signal"); len(got) > 0 {
			t.Errorf("the visitor got %q", got)
		}
	})
}

// An nginx without "daemon off;" goes to the background, which ends its container. Nothing in its own log says so.
func TestLeftover_in_the_background(t *testing.T) {
	t.Parallel()
	s := newNginx(t)
	s.flag("--drain-timeout", "1s") // an nginx that gets TERM while it starts may not end
	s.volume("web").swap(s.site("conf.d", page("a", "first")))
	c := s.start("nginx", "-e", "stderr", "-c", s.target("nginx.conf"))
	c.Ends(0)
	c.wantLogged("app went to the background: what it left there is ended", 1)
}
