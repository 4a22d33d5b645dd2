package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Invalid is the error of volumes that give no candidate: a key is missing, is
// not a regular file, is too large. Trying again helps only after a volume has
// changed.
type Invalid struct{ err error }

func (e *Invalid) Error() string { return e.err.Error() }

func (e *Invalid) Unwrap() error { return e.err }

func invalidf(format string, args ...any) error {
	return invalid(fmt.Errorf(format, args...))
}

// invalid makes an error an [*Invalid], unless its cause is the system's and
// may pass.
func invalid(err error) error {
	for _, passing := range []error{unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR, unix.EAGAIN} {
		if errors.Is(err, passing) {
			return err
		}
	}
	return &Invalid{err}
}

// maxProblems bounds how many problems one message tells.
const maxProblems = 10

// joinInvalid makes one error of many, or nil of none.
func joinInvalid(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	if more := len(wrong) - maxProblems; more > 0 {
		wrong = append(wrong[:maxProblems:maxProblems], fmt.Errorf("and %d more", more))
	}
	return &Invalid{errors.Join(wrong...)}
}

// errMoved says that the volumes changed while they were read.
var errMoved = errors.New("the volume changed while it was read")

// unplanned is something at a target for which the step was not planned.
type unplanned struct {
	what    string
	instead string // what to write, "" for another target
}

func (e *unplanned) Error() string { return "by now there is " + e.what }

// cause is the bare reason inside a path error. The path would be said twice,
// or be relative to a directory that the reader doesn't know.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// ignoring returns nil for a harmless error.
func ignoring(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}

// onDiskError refuses to write what lives in memory to a disk.
type onDiskError struct{ volume, state string }

func (e *onDiskError) Error() string {
	return fmt.Sprintf("cannot stage volume %q on disk: it is memory-backed and state directory %q is not\n%s\n"+
		"or accept it with --allow-disk", e.volume, e.state, mountHint(e.state, "{medium: Memory}"))
}

// unusableError says how to get a state directory that can be used.
func unusableError(dir string, err error) error {
	return fmt.Errorf("cannot use state directory %q: %w\n%s", dir, cause(err), mountHint(dir, "{}"))
}

// mountHint shows the volume to mount for the state directory.
func mountHint(path, medium string) string {
	return fmt.Sprintf("mount a volume there:\n"+
		"  volumeMounts: [{name: confit, mountPath: %s}]\n"+
		"  volumes:      [{name: confit, emptyDir: %s}]", path, medium)
}
