package signals

import (
	"os"
	"strconv"
)

// Disposition is what a process does with a signal.
type Disposition int

// The dispositions, as far as they can be seen.
const (
	Unknown Disposition = iota // there is no /proc, or the process is gone
	Default                    // no handler: signal(7) says what happens
	Ignored                    // the signal is dropped
	Caught                     // the process has a handler
	Blocked                    // no handler, but each thread has it blocked: it ends nobody, and signalfd(2) may take it
)

// String is the disposition's name for logs.
func (d Disposition) String() string {
	return [...]string{"unknown", "default", "ignored", "caught", "blocked"}[d]
}

// DispositionOf looks what the process does with the signal now: SigCgt and
// SigIgn of proc_pid_status(5), and SigBlk of each thread. SigBlk lacks what a thread
// waits for by sigwait(3) just then (do_sigtimedwait of kernel/signal.c), so that is
// Default.
func DispositionOf(pid int, sig Signal) Disposition {
	process := "/proc/" + strconv.Itoa(pid)
	d := dispositionIn(statusOf(process), sig)
	if d == Default && blocked(process+"/task/", sig) {
		return Blocked
	}
	return d
}

func dispositionIn(status string, sig Signal) Disposition {
	caught, ok1 := mask(status, "SigCgt:")
	ignored, ok2 := mask(status, "SigIgn:")
	switch {
	case !ok1 || !ok2:
		return Unknown
	case caught.has(sig):
		return Caught
	case ignored.has(sig):
		return Ignored
	}
	return Default
}

// blocked reports that every thread of a process blocks the signal. The kernel gives
// it to any thread that doesn't, which is enough for the default action to end them
// all. A thread that has ended takes no signal, and a new one has the mask of its
// maker, pthread_sigmask(3).
func blocked(threads string, sig Signal) bool {
	entries, _ := os.ReadDir(threads)
	some := false
	for _, e := range entries {
		status := statusOf(threads + e.Name())
		if state := field(status, "State:"); state == "" || state[0] == 'Z' || state[0] == 'X' {
			continue
		}
		if held, ok := mask(status, "SigBlk:"); !ok || !held.has(sig) {
			return false
		}
		some = true
	}
	return some
}
