// Kubelet writes ConfigMap and Secret volumes as a node does: with the kubelet's own AtomicWriter and its own code for an fsGroup, which
// package util holds as they are in Kubernetes. Tests use it where the claim is "this is what happens under Kubernetes".
//
// It is not a kubelet: it fetches nothing, mounts nothing and never tears a volume down. DIR is an ordinary directory that
// exists already, and directories inside a payload get the mode that this process's umask leaves of 0777.
//
// It is a module of its own, so that what stands behind that one package never enters the product's own go.mod.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

const usage = `usage: kubelet [--mode 0644] [--fsgroup GID] DIR [KEY=VALUE | KEY=@FILE]...
       kubelet [--fsgroup GID] --from SRC DIR
       kubelet [--mode 0644] [--fsgroup GID] --stdin DIR

Writes one complete payload into the volume DIR, in one swap, with the kubelet's
own writer. Keys that are not named are removed; no key at all is the empty payload.

  KEY          the path of the key in the volume, such as a.conf or sub/d.conf;
               KEY:MODE gives it a mode of its own, in octal
  VALUE        its content; @FILE reads the content from FILE
  --mode       mode of keys that have none of their own, in octal (default 0644)
  --fsgroup    give the volume to this group, as a pod's fsGroup does
  --from       the payload is the tree of regular files below SRC, with their modes
  --stdin      one JSON object a line, each written as one payload, in order:
               {"keys":{"a.conf":{"data":"text","mode":420},"b":{"base64":"AAE="}}}
               mode is decimal, as in the API, and optional. Each line is answered
               by a line on stdout: "ok", or "error: " and why

Exit status: 0 written, 1 not written (with --stdin: at least one line), 2 wrong usage.

Example:
  mkdir -p /tmp/web && kubelet /tmp/web nginx.conf=@nginx.conf tls/key:0600=@key.pem
`

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitMisused = 2
)

// usageError is an error of the command line.
type usageError struct{ error }

// misuse makes a usageError.
func misuse(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run does what the command line args asks for and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	if err == nil {
		err = o.perform(stdin, stdout)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "kubelet: %v\n", err)
	if _, misused := errors.AsType[usageError](err); misused {
		fmt.Fprintln(stderr, "See kubelet --help.")
		return exitMisused
	}
	return exitFailed
}

// perform writes the payload or payloads that o names.
func (o *options) perform(stdin io.Reader, stdout io.Writer) error {
	if o.stdin {
		v, err := openVolume(o.dir, o.fsGroup)
		if err != nil {
			return err
		}
		return v.serve(stdin, stdout, o.mode)
	}
	p, err := o.payload()
	if err != nil {
		return err
	}
	v, err := openVolume(o.dir, o.fsGroup)
	if err != nil {
		return err
	}
	return v.write(p)
}
