package linker

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// fault lets one call fail that a start makes.
type fault struct {
	errno  syscall.Errno
	lasts  time.Duration // once, or how long the same call of the same file fails
	at     int           // which call; 0: none
	seen   int
	failed int
	waited atomic.Int64 // nanoseconds; on the thread whose calls wait for an answer
	call   testfs.Call  // the one that fails
}

func (f *fault) String() string {
	return fmt.Sprintf("%s of %s (call %d) has failed %d times with %v, for %v", f.call.Name, f.call.Path, f.at, f.failed, f.errno, f.lasts)
}

// again lets half a second pass, and five at most.
func (f *fault) again() bool {
	return f.waited.Add(int64(time.Second/2)) <= int64(5*time.Second)
}

// maxInterrupts is how often a call is interrupted at most: confit makes it again at once.
const maxInterrupts = 100

// decide counts the calls below a directory.
func (f *fault) decide(dir string) func(testfs.Call) syscall.Errno {
	return func(call testfs.Call) syscall.Errno {
		if !strings.HasPrefix(call.Path, dir) {
			return 0
		}
		if f.seen++; f.seen == f.at {
			f.call = call
		}
		if call != f.call || f.seen != f.at && f.waited.Load() >= int64(f.lasts) || f.errno == unix.EINTR && f.failed == maxInterrupts {
			return 0
		}
		f.failed++
		return f.errno
	}
}
