package confit

import "testing"

// Killed before each of the system calls by which a swap is staged and published, and the changed targets get new links for an
// app that watches its files: they are whole, and nothing is left beside them.
func crashInTouch(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.flag("--reload", "touch")
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		web.swap(crashKeys(n))
		return func() bool { return s.settled(n, maxSteps) }
	})
}
