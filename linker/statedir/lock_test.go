package statedir

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestLockAtTheSameMoment: of confits that start at once one has the state directory.
func TestLockAtTheSameMoment(t *testing.T) {
	state := t.TempDir() + "/state"
	for range 100 {
		if err := errors.Join(os.RemoveAll(state), os.Mkdir(state, 0o755)); err != nil {
			t.Fatal(err)
		}
		if n := race(t, state, 8); n != 1 {
			t.Fatalf("%d of 8 confits have the state directory", n)
		}
	}
}

// race lets confits take the lock at the same moment, and counts who has it.
func race(t *testing.T, state string, confits int) int {
	locks := make(chan *os.File, confits)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for range confits {
		all.Go(func() {
			s, err := open(state)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Top.Close()
			<-begin
			if err := s.takeLock(); err == nil {
				locks <- s.Lock
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
