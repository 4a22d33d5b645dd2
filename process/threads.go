package process

import (
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// parallel is how many threads run Go code at a time. One is enough for a
	// process that waits: what blocks in the kernel gives its turn to another, and
	// what computes is interrupted after 10 ms. Each more would have free lists
	// and a collector of its own, some 300 KiB.
	parallel = 1
	// collectAt is GOGC: the heap is collected at 1 MiB instead of 4.
	collectAt = 25
	// spare is how many threads are made ahead. Wanted at once can be: the one that
	// runs, and one each for what blocks in a system call: the loop in fork, the
	// linker, the status, the log, the queue of signals. A few are on their way
	// from one to another. Each costs 20 KiB.
	spare = 6
)

// TameRuntime sets the Go runtime up for a process that must be small and
// mostly sleeps. It is to be called before much else: what was allocated on
// several processors stays scattered.
func TameRuntime() {
	runtime.GOMAXPROCS(parallel)
	debug.SetGCPercent(collectAt)
}

// ReserveThreads makes the threads that confit will want, while there are some
// to be had. The runtime makes one when it needs it and keeps it for ever, and
// when the kernel refuses it ends the program ("failed to create new OS
// thread", newosproc of runtime/os_linux.go): an app that has used up the
// container's pids would take PID 1 with it.
func ReserveThreads() {
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
}
