package process

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// parallel is how many threads run Go code at a time. One is enough: a goroutine that blocks in
	// the kernel gives its turn to another, and one that computes is interrupted after 10 ms. Each
	// further one would cost some 300 KiB.
	parallel = 1
	// collectAt is GOGC: the heap is collected at 2 MiB instead of 4. The first collection costs
	// 600 KiB for ever; at 1 MiB a start of 10 to 60 links would have it.
	collectAt = 50
	// spare is how many threads are made ahead, at 20 KiB each. confit needs one that runs, one for
	// each goroutine that blocks in a system call (the loop in fork, the linker, the status, the
	// log), and a few that change between goroutines.
	spare = 5
)

// KeepRuntimeSmall sets the Go runtime up for a small process that mostly sleeps, whatever GOMAXPROCS,
// GOGC and GOMEMLIMIT say: the environment is the app's. It comes early, as what several processors
// have allocated stays scattered.
func KeepRuntimeSmall() {
	runtime.GOMAXPROCS(parallel)
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(math.MaxInt64)
}

// leastProcesses is how many threads and processes a user needs, app included: with 14 ten starts
// of ten worked, with 13 four.
const leastProcesses = 16

// HasThreads says that RLIMIT_NPROC is too low for confit, which the runtime would find out once
// the app runs. It binds no root, setrlimit(2).
func HasThreads() error {
	var limit unix.Rlimit
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil || limit.Cur >= leastProcesses {
		return nil
	}
	return fmt.Errorf("cannot make threads: RLIMIT_NPROC is %d, and confit needs %d; raise it (ulimit -u)",
		limit.Cur, leastProcesses)
}

// reserveThreads makes the threads that confit will need, in a millisecond. The runtime makes a
// thread when it needs one and never ends it; if the kernel refuses one, the runtime ends the
// program (newosproc of runtime/os_linux.go). So an app that has used up the container's pids would
// take PID 1 with it.
var reserveThreads = sync.OnceFunc(func() {
	var made sync.WaitGroup
	enough := make(chan struct{})
	made.Add(spare)
	for range spare {
		go func() {
			runtime.LockOSThread() // the next one can't run on it, and needs another
			made.Done()
			<-enough
			runtime.UnlockOSThread() // idle from now on, for any goroutine
		}()
	}
	made.Wait()
	close(enough)
})
