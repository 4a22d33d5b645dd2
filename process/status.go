package process

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Status is a wait status as wait4(2) returns it.
type Status unix.WaitStatus

// ExitCode is what confit exits with when the app ended so: with the app's own
// code, or with 128+n for signal n, as a shell does. Each of the 65,536 statuses
// has a code from 0 to 255.
func (s Status) ExitCode() int {
	ws := unix.WaitStatus(s)
	if ws.Signaled() {
		return (128 + int(ws.Signal())) & 0xff
	}
	return ws.ExitStatus() & 0xff
}

// Success reports an exit with code 0.
func (s Status) Success() bool { return s == 0 }

// Signal is the signal that ended the process, or 0.
func (s Status) Signal() syscall.Signal {
	if ws := unix.WaitStatus(s); ws.Signaled() {
		return ws.Signal()
	}
	return 0
}

// String says how the process ended: "exit 1" or "signal 9".
func (s Status) String() string {
	if sig := s.Signal(); sig != 0 {
		return fmt.Sprintf("signal %d", int(sig))
	}
	return fmt.Sprintf("exit %d", s.ExitCode())
}
