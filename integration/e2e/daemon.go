package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// daemon is a program of the node, whose output goes to a log file. One that ends is started again, as systemd would do it. It ends
// with the node's PID 1.
type daemon struct {
	settings
	name string
	args []string
	kill func() // ends it in the midst of whatever it does, and waits until it is gone
}

func (s settings) daemon(name string, args ...string) *daemon {
	return &daemon{settings: s, name: name, args: args}
}

func (d *daemon) start() error {
	log, err := os.OpenFile(d.run("log/"+d.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	d.kill = func() { stop(); <-ended }
	go func() {
		defer close(ended)
		defer log.Close()
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, d.bin(d.name), d.args...)
			cmd.Stdout, cmd.Stderr, cmd.Env = log, log, d.environ("HOME=/root")
			fmt.Fprintln(log, "ended:", cmd.Run())
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return nil
}

// environ is the environment in which the node's own programs are found first.
func (s settings) environ(more ...string) []string {
	return append(append(os.Environ(), "PATH="+s.bin("")+":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), more...)
}

// showLogs prints how the daemons' logs end, for a run that failed.
func (s settings) showLogs() {
	logs, _ := filepath.Glob(s.run("log/*"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		fmt.Fprintf(os.Stderr, "\n-- %s\n%s\n", filepath.Base(log), bytes.TrimSpace(tail(text, 25)))
	}
}
