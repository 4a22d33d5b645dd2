package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"confit/process"
	"confit/status"
	"confit/supervisor"
)

// terminationLog is where Kubernetes looks for a container's last words
// (terminationMessagePath of the Pod's API). It is there only in a pod.
const terminationLog = "/dev/termination-log"

// lastWords tells why confit left, where kubectl describe looks and on stderr;
// what a hook printed is on stderr already. Stderr comes second, as its reader
// may hang; that is waited for by Flush, and no longer. Who asks for the status
// is a guest in a container, whose last words aren't the guest's.
func lastWords(stderr *process.Log, code int, err error) {
	if code != status.None {
		writeTerminationLog(err)
	}
	complain(stderr, err)
}

func complain(stderr *process.Log, err error) { fmt.Fprintln(stderr, "confit:", err) }

// writeTerminationLog adds what a hook printed.
func writeTerminationLog(reason error) {
	text := reason.Error()
	if r := (*supervisor.Rejected)(nil); errors.As(reason, &r) {
		text += "\n" + r.Tail
	}
	if f, err := os.OpenFile(terminationLog, os.O_WRONLY|os.O_TRUNC, 0); err == nil {
		io.WriteString(f, text)
		f.Close()
	}
}
