package files

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

// IsInvalid reports an error that is an [*Invalid], or wraps one.
func IsInvalid(err error) bool {
	_, invalid := errors.AsType[*Invalid](err)
	return invalid
}

// Invalidf is [AsInvalid] of an error with this text, as of [fmt.Errorf].
func Invalidf(format string, args ...any) error {
	return AsInvalid(fmt.Errorf(format, args...))
}

// AsInvalid makes an error an [*Invalid], unless its cause is the system's and
// may pass.
func AsInvalid(err error) error {
	for _, passing := range []error{unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR, unix.EAGAIN} {
		if errors.Is(err, passing) {
			return err
		}
	}
	return &Invalid{err}
}

// MaxProblems bounds how many problems one message lists.
const MaxProblems = 10

// JoinInvalid makes one error of many, or nil of none.
func JoinInvalid(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	if more := len(wrong) - MaxProblems; more > 0 {
		wrong = append(wrong[:MaxProblems:MaxProblems], fmt.Errorf("and %d more", more))
	}
	return &Invalid{errors.Join(wrong...)}
}

// ErrMoved says that the volumes changed while they were read.
var ErrMoved = errors.New("the volume changed while it was read")

// Cause is the bare reason inside a path error. The path would be said twice,
// or be relative to a directory that the reader doesn't know.
func Cause(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	if of, ok := errors.AsType[*os.LinkError](err); ok {
		return of.Err
	}
	return err
}

// Reason is the [Cause] of what can't be read, and how a pod lets confit read what it may not.
func Reason(err error) error {
	if err = Cause(err); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w; let user %d read it: by fsGroup of the pod, defaultMode of the volume, or the file's mode", err, Euid)
}

// Ignoring returns nil for a harmless error.
func Ignoring(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}

// Joined joins the errors of a map in the order of its keys.
func Joined[K ~string](wrong map[K]error) error {
	var all []error
	for _, key := range SortedKeys(wrong) {
		all = append(all, wrong[key])
	}
	return errors.Join(all...)
}
