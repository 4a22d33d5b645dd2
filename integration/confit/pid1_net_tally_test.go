package confit

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// counts are what a test shares with an app that counts its signals: `unruly count` has the same struct.
type counts struct {
	got        [65]atomic.Uint32 // how often each signal came
	ends       [65]atomic.Uint32 // the exit code that the signal brings; 0: none
	told, seen atomic.Uint32     // the app notes at each USR1 what was told
}

// lastSignal is the one that the kernel delivers after all others.
const lastSignal = syscall.Signal(64)

// tally is a confit with such an app, and how often each signal was sent to it.
type tally struct {
	*confit
	counts *counts
	sent   [65]uint32
}

// newTally starts a confit that has nothing to do but to forward signals.
func newTally(t *testing.T) *tally {
	t.Helper()
	return newSetup(t).tally()
}

func (s *setup) tally() *tally {
	s.t.Helper()
	path := s.path("counts")
	shared := mapCounts(s.t, path)
	c := &tally{confit: s.start(programs.unruly, "count", path), counts: shared}
	c.Says("ready", 1)
	return c
}

// arrive sends signals at once, each of which was counted before if it was sent before, and waits until the app has counted them again.
func (c *tally) arrive(list ...syscall.Signal) {
	c.t.Helper()
	for _, sig := range list {
		c.sent[sig]++
		c.Signal(sig)
	}
	for _, sig := range list {
		c.Eventually(fmt.Sprintf("%s reaches the app for the %dth time", harness.SignalName(sig), c.sent[sig]), func() bool {
			return c.counts.got[sig].Load() >= c.sent[sig]
		})
	}
}

// wantTally checks that the app has got what was sent, and nothing else. What is on its way comes before a signal that is sent twice.
func (c *tally) wantTally() {
	c.t.Helper()
	for range 2 {
		c.arrive(lastSignal)
	}
	for _, sig := range append(promised(each), unix.SIGTERM) {
		got, sent := c.counts.got[sig].Load(), c.sent[sig]
		flooded := sig == unix.SIGUSR1 && c.counts.told.Load() > 0
		if got > sent || got < sent && !flooded {
			c.t.Errorf("the app got %d of %s, want %d", got, harness.SignalName(sig), sent)
		}
	}
	for _, sig := range promised(withheld) {
		if got := c.counts.got[sig].Load(); got != 0 {
			c.t.Errorf("the app got %d of %s, want none", got, harness.SignalName(sig))
		}
	}
}

// mapCounts makes a file of zeroes and maps it.
func mapCounts(t *testing.T, path string) *counts {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	size := int(unsafe.Sizeof(counts{}))
	if err := file.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mapped) })
	return (*counts)(unsafe.Pointer(&mapped[0]))
}

// keepBusy lets every processor work on something else until the test is over.
func keepBusy(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: harness.ParentEnd}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}
