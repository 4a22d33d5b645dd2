package integration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// damageAll changes the keys of the live generation, and takes one away.
func (s *setup) damageAll(n int) {
	s.t.Helper()
	live := filepath.Join(s.state, "live", "web")
	if err := errors.Join(overwrite(filepath.Join(live, "a"), badText), overwrite(filepath.Join(live, fmt.Sprint("c", n)), badText)); err != nil {
		s.t.Fatal(err)
	}
}

// The system calls by which a rescan gives a generation its bytes back. A key is what somebody has made of it, or what was accepted.
func crashInRepair(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		s.damageAll(n - 1)
		return func() bool { return s.settled(n-1, maxSteps) }
	})
}

// The system calls of a start at which what was accepted is written anew, from the very first one. Whichever is the last, the next
// start goes on with it: the same generation, which is mounted.
func crashInMendedStart(t *testing.T, stride int) {
	const files = 3
	s, web := newCrash(t, files)
	web.swap(crashKeys(1))
	s.recover(1, files).Kill()
	accepted := s.stored()
	for n, step := range steps(stride) {
		if n%2 == 0 {
			s.damageAll(1)
		} else if err := os.RemoveAll(filepath.Join(s.state, "generations", fmt.Sprint(accepted.Number))); err != nil {
			t.Fatal(err)
		}
		c, result := s.startTraced(step)
		harness.Eventually(t, "the app or the end of confit", func() bool { return !c.Alive() || len(c.Texts("stdout", "ready")) > 0 })
		alive := c.Alive()
		c.Kill()
		seen := result()
		if !alive {
			c.wantKilled()
		}
		c = s.recover(1, files)
		if c.Kill(); s.stored() != accepted {
			t.Fatalf("after a kill at step %d %v is accepted, and was %v", step, s.stored(), accepted)
		}
		if alive {
			t.Logf("killed %d times within %d steps; %s", n-1, step-1, seen)
			return
		}
	}
	t.Errorf("a start never came to its end within %d steps", maxSteps)
}
