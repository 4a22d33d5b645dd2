package confit

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// Without /proc confit starts, forwards, reaps, checks and reloads.
func TestNoProc(t *testing.T) {
	eachUser(t, "signal", func(t *testing.T, s *setup) {
		c, web := s.withoutProc("reload signal:HUP", "validate test -e {candidate}/web/a")
		web.swap(keys{"a": "second"})
		c.Says("read second", 1)
		c.Eventually("the orphan is reaped", func() bool {
			return !slices.ContainsFunc(c.Processes(), isOrphan) && !c.zombie()
		})
		c.Signal(syscall.SIGUSR1)
		c.Says("signal USR1", 1)
		c.stops(7)
		c.Says("cleaned", 1)
		c.wantLogged("app started", 1)
	})
}

func isOrphan(p harness.Process) bool { return p.Command == "sleep 0.1" }

// Without /proc confit can't see what the app catches, so auto restarts it. Of the app's leftovers, in a restart and at the end
// where confit isn't PID 1, it finds only the app's own process group. It waits for the rest, and leaves it behind.
func TestNoProc_auto(t *testing.T) {
	t.Parallel()
	for _, under := range []bool{false, true} {
		eachUser(t, fmt.Sprintf("under_%v", under), func(t *testing.T, s *setup) {
			s.box.Under = under
			c, web := s.withoutProc("reload auto", "drain-timeout 300ms")
			web.swap(keys{"a": "second"})
			c.logs("app restarting", 1)
			c.Says("ready", 2)
			c.wantLogged("leftovers killed: they did not stop in time", 1)
			c.term()
			c.Ends(7)
		})
	}
}

// withoutProc starts an app that leaves an orphan behind, and another one in a session of its own.
func (s *setup) withoutProc(lines ...string) (*confit, *volume) {
	s.t.Helper()
	s.box.NoProc, s.program = true, programs.shipped // the race detector needs /proc
	s.lines = lines
	web := s.linkOne()
	const left = `(setsid sh -c 'trap "echo cleaned; exit" TERM; echo up; while :; do sleep 0.05; done' &); (sleep 0.1 &); `
	c := s.start("sh", "-c", left+fmt.Sprintf(readsAndListens, s.target("a")))
	c.Says("up", 1)
	c.Says("ready", 1)
	return c, web
}
