package process

import (
	"runtime"
	"sync"
)

const (
	// parallel is how many threads run Go code at a time: the loop's and the
	// linker's. The runtime's own choice is the number of cores, and a collection
	// of garbage may want a thread for each.
	parallel = 2
	// spare is how many threads are made ahead. Wanted at once can be: those that
	// run, and one each for what blocks in a system call: the loop in fork, the
	// linker, the log, the queue of signals, the poller. A few are on their way
	// from one to another. Each costs 20 KiB.
	spare = 8
)

// ReserveThreads makes the threads that confit will want, while there are some
// to be had. The runtime makes one when it needs it and keeps it for ever, and
// when the kernel refuses it ends the program ("failed to create new OS
// thread", newosproc of runtime/os_linux.go): an app that has used up the
// container's pids would take PID 1 with it.
func ReserveThreads() {
	runtime.GOMAXPROCS(min(parallel, runtime.GOMAXPROCS(0)))
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
