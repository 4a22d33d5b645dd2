// Command demo shows confit at work: a real nginx under it in a container, and a ConfigMap volume that changes.
//
//	demo CONFIT
//
// It needs Linux, nginx, and root or else user namespaces. It guarantees that nothing is left behind however it ends, kill -9
// included: all files are in a tmpfs that only its own mount namespace has, and all processes end with PID 1 of a PID namespace.
//
// The program plays two parts besides the harness's, each a process of its own, known by the name that it is started under:
//
//	demo        makes the namespaces and waits                     isolate.go
//	demo-stage  builds the container, plays the acts and checks    stage.go, image.go, acts.go
package main

import (
	"errors"
	"os"
	"syscall"

	"confit/integration/internal/harness"
)

const stageRole = "demo-stage"

// errInterrupted is the end by ^C or the like. It needs no words.
var errInterrupted = errors.New("interrupted")

func main() {
	harness.Play(nil)
	os.Exit(exitCode(run(os.Args)))
}

func run(args []string) error {
	switch role, rest := args[0], args[1:]; {
	case role == stageRole && len(rest) == 1:
		return stage(rest[0])
	case len(rest) == 1:
		return isolate(rest[0])
	}
	return errors.New("write the program to show: go run ./integration/demo bin/confit")
}

// exitCode is that of a shell for an interrupted demo.
func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return 128 + int(syscall.SIGINT)
	}
	return harness.ExitCode("demo", err)
}
