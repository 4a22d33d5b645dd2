// Command goreap is a PID 1 that reaps orphans with hashicorp/go-reap while it runs commands with os/exec. It starts its
// arguments, which make orphans, and meanwhile runs 2,000 commands that exit with 7, and prints how many of these codes it
// never got to see. It is a module of its own, so that confit doesn't depend on what it is compared with.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	reap "github.com/hashicorp/go-reap"
)

const (
	commands = 2000
	workers  = 4
)

func main() {
	go reap.ReapChildren(nil, nil, nil, nil)
	noise := exec.Command(os.Args[1], os.Args[2:]...)
	if err := noise.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "goreap:", err)
		os.Exit(1)
	}
	fmt.Printf("lost %d\n", work())
}

// work runs the commands, a few at a time, and counts the codes that were lost.
func work() int64 {
	var lost atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range commands / workers {
				var exit *exec.ExitError
				if err := exec.Command("/bin/sh", "-c", "exit 7").Run(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
					lost.Add(1)
				}
			}
		})
	}
	all.Wait()
	return lost.Load()
}
