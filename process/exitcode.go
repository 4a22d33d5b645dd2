package process

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Exit codes for an app that could not be started, as in a shell.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
	codeRefused       = 71 // EX_OSERR of sysexits.h
)

// StartCode is the exit code for the error of a start: 127 when there is no
// such program, 126 when it can't be executed, 71 when the system refused for
// the moment (no memory, too many processes): then a later try may succeed.
func StartCode(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return codeNotFound
	case Refused(err), errors.Is(err, unix.ETXTBSY):
		return codeRefused
	}
	return codeNotExecutable
}

// Refused reports whether the system is short of something for the moment:
// memory, processes, descriptors.
func Refused(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

// startError tells which program could not be started; [StartCode] reads it.
type startError struct {
	name string
	err  error
}

func (e *startError) Error() string { return fmt.Sprintf("cannot start %q: %v", e.name, e.err) }
func (e *startError) Unwrap() error { return e.err }
