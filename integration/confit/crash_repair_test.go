package confit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// damageAll changes the keys of the live generation, and takes one away.
func (s *setup) damageAll(n int) {
	s.t.Helper()
	live := filepath.Join(s.state, "live", "web")
	s.damage(errors.Join(overwrite(filepath.Join(live, "a"), badText), overwrite(filepath.Join(live, fmt.Sprint("c", n)), badText)))
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
func crashInFixedStart(t *testing.T, stride int) {
	const files = 3
	s, web := newCrash(t, files)
	web.swap(crashKeys(1))
	s.recover(1, files).Kill()
	accepted := s.stored()
	prepare := func(n int) {
		if n%2 == 0 {
			s.damageAll(1)
		} else {
			s.damage(os.RemoveAll(s.keyOf(fmt.Sprint(accepted.Number), "")))
		}
	}
	s.killStarts(stride, prepare, func(n int) {
		if s.recover(1, files).Kill(); s.stored() != accepted {
			t.Fatalf("after the kill of start %d %v is accepted, and was %v", n, s.stored(), accepted)
		}
	})
}
