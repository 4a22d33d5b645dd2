package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The exit codes of confit that aren't the app's own.
const (
	ExitUsage         = 64  // wrong usage or links file: EX_USAGE of sysexits.h
	ExitData          = 65  // what can't be tried: EX_DATAERR
	ExitSystem        = 71  // the system refused something before the app was started: EX_OSERR
	ExitRejected      = 78  // the first configuration was rejected: EX_CONFIG
	exitNotExecutable = 126 // the app can't be executed, as in a shell
	exitNotFound      = 127 // there is no such program, as in a shell
)

// startError names the program that could not be started.
func startError(name string, err error) error {
	hint := ""
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && strings.ContainsAny(name, " \t"):
		hint = "; this is one word: remove the quotes around it"
	case missing && !strings.Contains(name, "/"):
		hint = "; write its path, or add it to the image"
	case errors.Is(err, fs.ErrPermission):
		hint = "; a program is a file with mode +x"
	}
	return fmt.Errorf("cannot start %q: %w%s", name, err, hint)
}

// StartCode is the exit code for an app that could not be started: 127 when there is no such
// program, 126 when it can't be executed, and [ExitSystem] when the system is short of something,
// so that a later try may succeed.
func StartCode(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return exitNotFound
	case refused(err), errors.Is(err, unix.ETXTBSY):
		return ExitSystem
	}
	return exitNotExecutable
}

// UsageCode is the exit code for an error of the command line or of a links file: [ExitSystem] when
// the system is short of something, else [ExitUsage].
func UsageCode(err error) int {
	if refused(err) {
		return ExitSystem
	}
	return ExitUsage
}

// refused reports whether the system is short of memory, processes or descriptors.
func refused(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EMFILE) ||
		errors.Is(err, unix.ENFILE)
}

// Status is a wait status as wait4(2) returns it.
type Status unix.WaitStatus

// ExitCode is the app's own code, or 128+n for signal n, as in a shell. Each of the 65,536 statuses
// has a code from 0 to 255.
func (s Status) ExitCode() int {
	if sig := s.Signal(); sig != 0 {
		return (128 + int(sig)) & 0xff
	}
	return unix.WaitStatus(s).ExitStatus() & 0xff
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

// WriteTerminationLog writes why confit ends where kubectl describe looks, at the
// terminationMessagePath of a Pod. The last output of a hook follows, if the reason has it.
func WriteTerminationLog(reason error) {
	f, err := os.OpenFile("/dev/termination-log", os.O_WRONLY|os.O_TRUNC, 0) // only in a pod
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprint(f, reason)
	if hook, ok := reason.(interface{ Output() string }); ok {
		fmt.Fprint(f, "\n", hook.Output())
	}
}
