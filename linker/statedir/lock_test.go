package statedir

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"confit/integration/surroundings"
	"confit/linker/safedir"
)

// TestLockAtTheSameMoment: of confits that start at once one has the state
// directory, also when there is something to be put aside.
func TestLockAtTheSameMoment(t *testing.T) {
	for name, put := range surroundings.InTheLocksWay {
		confits := 2
		if name == "nothing" || name == "left by confit" {
			confits = 8
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir() + "/state"
			for range 100 {
				err := errors.Join(os.RemoveAll(state), os.Mkdir(state, 0o755), put(state+"/lock"))
				if err != nil {
					t.Fatal(err)
				}
				if n := race(t, state, confits); n != 1 {
					t.Fatalf("%d of %d confits have the state directory", n, confits)
				}
			}
		})
	}
}

// race lets confits take the lock at the same moment, and counts who has it.
func race(t *testing.T, state string, confits int) int {
	locks := make(chan *os.File, confits)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for range confits {
		all.Go(func() {
			top, err := safedir.At(state)
			if err != nil {
				t.Error(err)
				return
			}
			defer top.Close()
			<-begin
			if lock, err := takeLock(top, state); err == nil {
				locks <- lock
			} else if !strings.Contains(err.Error(), "another confit") {
				t.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
	close(locks)
	n := 0
	for lock := range locks {
		n++
		lock.Close()
	}
	return n
}
