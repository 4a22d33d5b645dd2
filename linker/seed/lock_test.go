package seed

import (
	"fmt"
	"sync"
	"testing"
)

// TestSeed_at_once: several runs fill the same directory that is missing, as init containers that run side by side. Each goes well, and
// finds it whole.
func TestSeed_at_once(t *testing.T) {
	for round := range 4 {
		i := newImage(t, another)
		for n := range 150 {
			i.put(fmt.Sprintf("d%d/%d", n%7, n), "some text", 0o644)
		}
		var runs sync.WaitGroup
		for range 5 {
			runs.Go(func() {
				if said, code := i.run(i.path("image") + "=" + i.path("volume/some/where/to")); code != 0 {
					t.Errorf("round %d: exit code %d: %s", round, code, said)
				}
				if got, want := len(i.tree("volume/some/where/to")), len(i.tree("image")); got != want {
					t.Errorf("round %d: %d files and directories of %d", round, got, want)
				}
			})
		}
		runs.Wait()
		i.same("volume/some/where/to") // while one works there, its directory is open to its user
	}
}
