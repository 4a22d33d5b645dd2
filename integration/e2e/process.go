package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// process is a running program; its start tells it from a later one with the same number.
type process struct {
	pid   int
	start string
}

// processOf is the first process of a pod whose command line begins with a title, found by the pod's cgroup.
func processOf(p pod, title string) (process, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return process{}, err
	}
	for _, file := range lines {
		command, _ := os.ReadFile(file)
		groups, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cgroup"))
		if strings.HasPrefix(string(command), title) && strings.Contains(string(groups), p.Metadata.UID) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return process{pid, startTime(pid)}, err
		}
	}
	return process{}, fmt.Errorf("there is no %s in the pod", title)
}

const nginxMaster = "nginx: master process"

// startTime is field 22 of /proc/PID/stat, empty when there is none.
func startTime(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(rest); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

// locked holds that a process has no right to anything: another user than root, no capability and no way to get one, a filter of
// system calls, and a root file system that nobody can write to.
func (s *stage) locked(p process, user string) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return err
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.Join(strings.Fields(value), " ")
	}
	all := strings.Join([]string{user, user, user, user}, " ")
	for name, want := range map[string]string{
		"Uid": all, "CapPrm": "0000000000000000", "CapBnd": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2",
	} {
		if fields[name] != want {
			return fmt.Errorf("%s has %s %q, not %q", fields["Name"], name, fields[name], want)
		}
	}
	var root unix.Statfs_t
	if err := unix.Statfs(fmt.Sprintf("/proc/%d/root", p.pid), &root); err != nil || root.Flags&unix.ST_RDONLY == 0 {
		return errors.Join(fmt.Errorf("%s may write to its root file system", fields["Name"]), err)
	}
	s.show("%s: user %s, no capabilities, no new privileges, seccomp, read-only root", fields["Name"], user)
	return nil
}

func (p process) same() error {
	if startTime(p.pid) != p.start {
		return fmt.Errorf("process %d is another one, or gone", p.pid)
	}
	return nil
}

func (p process) gone() error {
	if startTime(p.pid) == p.start {
		return fmt.Errorf("process %d is still there", p.pid)
	}
	return nil
}

// reload sends HUP and waits until nginx has other workers.
func (p process) reload() error {
	before := p.children()
	if err := syscall.Kill(p.pid, syscall.SIGHUP); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if !harness.PollEvery(ctx, pollInterval, func() bool {
		now := p.children()
		return len(now) == len(before) && !overlap(now, before)
	}) {
		return errors.New("nginx did not reload")
	}
	return nil
}

func (p process) children() []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid, p.pid))
	return strings.Fields(string(text))
}

func overlap(a, b []string) bool {
	for _, one := range a {
		for _, other := range b {
			if one == other {
				return true
			}
		}
	}
	return false
}
