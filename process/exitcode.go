package process

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What confit exits with, when it isn't the app's own code.
const (
	ExitUsage         = 64  // wrong usage or links file: EX_USAGE of sysexits.h
	ExitData          = 65  // what can't be tried: EX_DATAERR
	ExitSystem        = 71  // the system refused something before the app was started: EX_OSERR
	ExitRejected      = 78  // the first configuration was rejected: EX_CONFIG
	exitNotExecutable = 126 // the app can't be executed, as in a shell
	exitNotFound      = 127 // there is no such program, as in a shell
)

// startError names the program that could not be started.
type startError struct {
	name string
	err  error
}

func (e *startError) Error() string {
	return fmt.Sprintf("cannot start %q: %v%s", e.name, e.err, e.hint())
}

func (e *startError) Unwrap() error { return e.err }

// shellWords are words of the shell that many a command begins with, and no programs.
var shellWords = []string{".", "[[", "cd", "eval", "exec", "export", "for", "if", "set", "source", "ulimit", "umask", "while"}

// hint says what to write in place of a name that no program has.
func (e *startError) hint() string {
	switch {
	case !errors.Is(e.err, fs.ErrNotExist):
		return ""
	case strings.ContainsAny(e.name, " \t"):
		return "; this is one word: remove the quotes around it"
	case strings.HasPrefix(e.name, "-"):
		return "; confit's own flags come before the --"
	case strings.Contains(e.name, "="):
		return "; to set a variable, write env in front of it"
	case slices.Contains(shellWords, e.name):
		return "; only a shell knows it: write sh -c '…'"
	}
	return ""
}

// StartCode is the exit code for an app that could not be started: 127 when
// there is no such program, 126 when it can't be executed, and [ExitSystem] when
// the system is short of something, so that a later try may succeed.
func StartCode(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return exitNotFound
	case refused(err), errors.Is(err, unix.ETXTBSY):
		return ExitSystem
	}
	return exitNotExecutable
}

// UsageCode is the exit code for an error of the command line or of a links file:
// [ExitSystem] when the system refused to read one for the moment, else
// [ExitUsage].
func UsageCode(err error) int {
	if refused(err) {
		return ExitSystem
	}
	return ExitUsage
}

// refused reports whether the system is short of something for the moment:
// memory, processes, descriptors.
func refused(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}
