package signals

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Disposition is what a process does with a signal.
type Disposition int

const (
	// Unknown: the kernel didn't say (no /proc, or the process is gone).
	Unknown Disposition = iota
	// Default: no handler; signal(7) tells what happens.
	Default
	// Ignored: the signal is dropped.
	Ignored
	// Caught: the process has a handler.
	Caught
	// Waited: it has none, but waits for the signal. That somebody takes it can't
	// be seen beforehand: [Pending] tells afterwards.
	Waited
)

// String is the disposition's name for logs.
func (d Disposition) String() string {
	return [...]string{"unknown", "default", "ignored", "caught", "waited"}[d]
}

// DispositionOf reads from /proc/PID/status what the process does with the
// signal now: the masks SigCgt and SigIgn of proc_pid_status(5).
func DispositionOf(pid int, sig Signal) Disposition {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Unknown
	}
	return dispositionIn(status, sig)
}

// Pending reports whether a signal that was sent to the process has not been
// taken yet: ShdPnd of proc_pid_status(5). It is false, false when the kernel
// doesn't say.
func Pending(pid int, sig Signal) (pending, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false, false
	}
	set, ok := mask(status, "ShdPnd:")
	return set&(1<<(sig-1)) != 0, ok
}

func dispositionIn(status []byte, sig Signal) Disposition {
	caught, ok1 := mask(status, "SigCgt:")
	ignored, ok2 := mask(status, "SigIgn:")
	bit := uint64(1) << (sig - 1)
	switch {
	case !ok1 || !ok2:
		return Unknown
	case caught&bit != 0:
		return Caught
	case ignored&bit != 0:
		return Ignored
	}
	return Default
}

// mask reads one line of hexadecimal digits, the lowest bit being signal 1.
func mask(status []byte, field string) (uint64, bool) {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(field)); ok {
			m, err := strconv.ParseUint(string(bytes.TrimSpace(rest)), 16, 64)
			return m, err == nil
		}
	}
	return 0, false
}
