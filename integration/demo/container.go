package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"confit/integration/internal/harness"
)

// container is a confit that runs in the image, and what it and its app have written.
type container struct {
	*harness.Init
	harness.Transcript
	image image
	taken int // how many lines of the transcript were taken
}

// start runs a command as PID 1 of the container. The end of the context kills it, and with PID 1 the kernel kills the rest.
func (i image) start(ctx context.Context, command ...string) (*container, error) {
	c := &container{image: i}
	output := c.Stream("output")
	var err error
	c.Init, err = harness.Command{
		Box:    harness.Box{Root: string(i)},
		Argv:   command,
		Env:    []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Stdout: output, Stderr: output,
	}.Start()
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, c.Kill)
	return c, nil
}

// nginxPID is the number of nginx's master process in the container, from its pid file.
func (c *container) nginxPID() (int, error) {
	text, err := os.ReadFile(c.image.in("/run/nginx.pid"))
	if err != nil {
		return 0, fmt.Errorf("cannot read nginx's pid file: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// childrenOf lists the children of a process, all by their numbers in the container.
func (c *container) childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob(c.Proc("root/proc/[0-9]*/stat"))
	for _, name := range stats {
		stat, _ := os.ReadFile(name) // it may be gone by now
		var pid, ppid int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if n, _ := fmt.Sscanf(rest, "%1s %d", new(string), &ppid); n == 2 && ppid == parent {
			_, _ = fmt.Sscan(string(stat), &pid)
			children = append(children, pid)
		}
	}
	return children
}

// says reports whether a line that was not taken yet holds a text.
func (c *container) says(text string) bool {
	return strings.Contains(strings.Join(c.Lines()[c.taken:], "\n"), text)
}

// take returns the lines since it was called last.
func (c *container) take() []string {
	lines := c.Lines()[c.taken:]
	c.taken += len(lines)
	return lines
}
