package integration

import (
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// The entry point makes the Go runtime leave signals blocked that it would unblock on every thread. It changes entries of the
// runtime's table, each only if it looks as in the Go that this was written for. In the shipped confit all of them do, so only
// the thread that receives signals has them unblocked. If this fails with a new Go, compare runtime.sigtable with patient of
// signals/entry.go; docs/decisions.md says how to live without.
func TestPID1_entry_point_fits_this_Go(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.program = programs.shipped
	c := s.start(app()...)
	c.Says("ready", 1)
	c.logs("generation accepted", 1)
	for _, sig := range []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGSTKFLT, syscall.SIGCHLD, 34,
	} {
		harness.Eventually(t, fmt.Sprintf("one thread takes signal %v", sig), func() bool {
			blocked, open := c.threads(sig)
			return blocked > 1 && open == 1
		})

	}
}

// threads counts confit's threads by whether they block a signal.
func (c *confit) threads(sig syscall.Signal) (blocked, open int) {
	tasks, _ := filepath.Glob(c.Proc("task/*"))
	for _, task := range tasks {
		mask, err := strconv.ParseUint(harness.StatusField(task, "SigBlk"), 16, 64)
		switch {
		case err != nil: // it is gone
		case mask&(1<<(sig-1)) != 0:
			blocked++
		default:
			open++
		}
	}
	return blocked, open
}
