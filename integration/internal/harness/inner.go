package harness

import (
	"errors"
	"fmt"
	"os"
)

// InnerError is the failure of a process further in, which has told it.
type InnerError struct{ Code int }

func (e *InnerError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ExitCode is what a program ends with. It tells why it failed, unless a process further in has done so.
func ExitCode(program string, err error) int {
	if err == nil {
		return 0
	}
	if inner, ok := errors.AsType[*InnerError](err); ok {
		return inner.Code
	}
	fmt.Fprintf(os.Stderr, "\n%s: FAILED: %v\n", program, err)
	return 1
}
