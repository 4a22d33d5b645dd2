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

// lastWords tells why confit left, on stderr and where kubectl describe looks;
// what a hook printed is on stderr already. Who asks for the status is a guest
// in a container, whose last words aren't the guest's.
func lastWords(code int, err error) {
	fmt.Fprintln(process.Unstopped(os.Stderr), "confit:", err)
	if code == status.None {
		return
	}
	text := err.Error()
	if r := (*supervisor.Rejected)(nil); errors.As(err, &r) {
		text += "\n" + r.Tail
	}
	if f, err := os.OpenFile(terminationLog, os.O_WRONLY|os.O_TRUNC, 0); err == nil {
		io.WriteString(f, text)
		f.Close()
	}
}
