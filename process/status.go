package process

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Status is a wait status as wait4(2) returns it.
type Status unix.WaitStatus

// ExitCode is what confit exits with for an app that ended so: the app's own
// code, or 128+n for signal n, as a shell reports it. It is in 0…255 for each
// of the 65,536 statuses.
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
