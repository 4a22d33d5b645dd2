package process

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// parallel is how many threads run Go code at a time. One is enough for a
	// process that waits: a goroutine that blocks in the kernel gives its turn to
	// another, and one that computes is interrupted after 10 ms. Each further thread
	// would cost some 300 KiB for free lists and a collector of its own.
	parallel = 1
	// collectAt is GOGC: the heap is collected at 2 MiB instead of 4. The first
	// collection costs 600 KiB for ever, so a start should do without: at 1 MiB one of
	// 10 to 60 links has it.
	collectAt = 50
	// spare is how many threads are made ahead. Confit may want at once the one that
	// runs, and one for each goroutine that blocks in a system call: the loop in fork,
	// the linker, the status, the log. A few are on their way from one goroutine to
	// another. Each costs 20 KiB.
	spare = 5
)

// TameRuntime sets the Go runtime up for a process that is small and mostly
// sleeps, whatever the GOMAXPROCS, GOGC and GOMEMLIMIT of the environment say: they
// are the app's. It comes before much else, as what several processors have allocated
// stays scattered.
func TameRuntime() {
	runtime.GOMAXPROCS(parallel)
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(math.MaxInt64)
}

// reserveThreads makes the threads that confit will need while the kernel still
// grants them. The runtime makes a thread when it needs one and keeps it for ever;
// when the kernel refuses one, it ends the program ("failed to create new OS
// thread", newosproc of runtime/os_linux.go). So an app that has used up the
// container's pids would take PID 1 with it. They take a millisecond, as each waits
// for the one before.
var reserveThreads = sync.OnceFunc(func() {
	var made sync.WaitGroup
	enough := make(chan struct{})
	made.Add(spare)
	for range spare {
		go func() {
			runtime.LockOSThread() // the next one can't run on it, and needs another
			made.Done()
			<-enough
			runtime.UnlockOSThread() // idle from now on, and for whoever needs it
		}()
	}
	made.Wait()
	close(enough)
})
