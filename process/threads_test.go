package process

import (
	"os"
	"runtime"
	"testing"
)

// TestReserveThreads: the threads are there once an app was started, and one at a time runs
// Go code.
func TestReserveThreads(t *testing.T) {
	alone(t, func(t *testing.T) {
		KeepRuntimeSmall()
		n := newNursery(t)
		n.app("true")
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil || len(threads) <= spare {
			t.Errorf("%d threads, want more than %d (%v)", len(threads), spare, err)
		}
		if n := runtime.GOMAXPROCS(0); n != parallel {
			t.Errorf("%d may run at a time, want %d", n, parallel)
		}
		n.until("the app has ended", func() bool { return len(n.ends) > 0 })
	})
}
