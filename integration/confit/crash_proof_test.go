package confit

import (
	"fmt"
	"testing"

	"confit/integration/internal/harness"
)

// The system calls of a swap that is proved before it is accepted. The next start proves anew what was already published, and stores
// it.
func crashInProof(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.flag("--probation", "10ms")
	s.line("verify true")
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		web.swap(crashKeys(n))
		return func() bool { return s.settled(n, maxSteps) }
	})
}

// The same when the app dies of a bad edit, and goes back to the accepted generation. The container comes up again with the bad
// edit still mounted: the app dies of it once more, and is started on the accepted one.
func crashInRollBack(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	printer := sheltered(app("-print", s.target("conf.d/a")))
	for n, step := range steps(stride) {
		s.flags = []string{"--rescan", "300ms"}
		web.swap(crashKeys(n - 1))
		c := s.start(printer...)
		c.Eventually("the state before the bad edit", func() bool { return s.settled(n-1, maxSteps) })
		c.Kill()

		s.flags = []string{"--probation", "1h", "--rescan", "300ms"}
		c = s.start(printer...)
		c.Says("ready", 1)
		result := c.KillAt(step)
		bad := crashKeys(n)
		bad["a"] = badText
		web.swap(bad)
		finished := func() bool { return len(c.Texts("stdout", "ready")) > 1 && s.settled(n-1, maxSteps) }
		harness.Eventually(t, "end of the roll back or of confit", func() bool { return !c.Alive() || finished() })
		if c.Alive() {
			c.Kill()
			t.Logf("killed %d times within %d steps; %s", n-1, step-1, result())
			return
		}
		result()
		c.wantKilled()
		s.wantWhole(n, maxSteps)

		c = s.start(printer...)
		c.Says("ready", 1)
		c.wantRejected("probation", 1)
		c.Eventually(fmt.Sprintf("the state before bad edit %d", n), func() bool { return s.settled(n-1, maxSteps) })
		c.Kill()
	}
	t.Errorf("a roll back never came to its end within %d steps", maxSteps)
}

// confit is killed while the verify hook runs: the generation is neither accepted nor rejected. The next start proves it anew.
func TestCrash_while_proving(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"proved": "exit 0", "rolled_back": "exit 1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, verifier := newVerified(t, "3s")
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Says("ready", 1)
			verifier("sleep 7654321")
			web.swap(keys{"text": "second"})
			c.find("sleep 7654321")
			c.Kill()
			s.wantFiles(keys{"text": "second"})
			verifier(script)
			c = s.start(s.printer()...)
			if name == "proved" {
				c.accepts(1)
				s.wantFiles(keys{"text": "second"})
			} else {
				c.wantRejected("verify", 1)
				c.Says("read first", 2) // at its start, as the edit is put off, and when that is taken back
				s.wantFiles(keys{"text": "first"})
			}
			c.Eventually("no leftovers", func() bool { return len(s.leftovers()) == 0 })
		})
	}
}
