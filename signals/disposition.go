package signals

import (
	"os"
	"strconv"
	"strings"
)

// Disposition is what a process does with a signal.
type Disposition int

// The dispositions, as far as they can be seen.
const (
	Unknown Disposition = iota // there is no /proc, or the process was reaped
	Default                    // no handler: signal(7) says what happens
	Ignored                    // the signal is dropped
	Caught                     // the process has a handler
	// no handler, but each thread blocks it: it doesn't end the process, and signalfd(2) may take
	// it
	Blocked
)

// String is the disposition's name for logs.
func (d Disposition) String() string {
	return [...]string{"unknown", "default", "ignored", "caught", "blocked"}[d]
}

// DispositionOf is what a process does with a signal now: SigCgt and SigIgn of proc_pid_status(5),
// and SigBlk of each thread. SigBlk lacks the signals of a sigwait(3) that waits (do_sigtimedwait
// of kernel/signal.c), so these are Default.
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

// blocked reports that every thread of a process blocks the signal: one that doesn't is enough for
// the default action to end them all. A thread that has ended takes no signal, and a new one
// inherits the mask, pthread_sigmask(3).
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

// set is a set of signals as the kernel writes it: the lowest bit is signal 1.
type set uint64

func (s set) has(sig Signal) bool { return s&(1<<(sig-1)) != 0 }

// statusOf is the status of a process or of a thread, by its directory in /proc; "" if that isn't
// there.
func statusOf(dir string) string {
	text, _ := os.ReadFile(dir + "/status")
	return string(text)
}

// mask reads a set of signals, which is written in hexadecimal.
func mask(status, name string) (set, bool) {
	m, err := strconv.ParseUint(field(status, name), 16, 64)
	return set(m), err == nil
}

// field is the value of one line.
func field(status, name string) string {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
