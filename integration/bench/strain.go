package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"confit/integration/internal/harness"
)

// strain is what a program is put under before it starts. The zero strain is none.
type strain struct {
	name string
	box  harness.Box
	put  func(pid int) error // nil: nothing
}

// limit is a file of a cgroup and what is written to it, in both versions: cgroup-v2.rst of the kernel's documentation, and
// memory.rst, sched-bwc.rst and pids.rst of version 1.
type limit struct {
	controller     string
	file, text     string
	oldFile, older string // version 1
}

func memoryLimit(mib int) limit {
	bytes := strconv.Itoa(mib << 20)
	return limit{"memory", "memory.max", bytes, "memory.limit_in_bytes", bytes}
}

// processorLimit is in hundredths of one processor, taken in periods of 100 ms as Kubernetes does.
func processorLimit(percent int) limit {
	quota := strconv.Itoa(percent * 1000)
	return limit{"cpu", "cpu.max", quota + " 100000", "cpu.cfs_quota_us", quota}
}

func pidsLimit(n int) limit {
	return limit{"pids", "pids.max", strconv.Itoa(n), "pids.max", strconv.Itoa(n)}
}

// cgroups is where they are mounted: the one tree of version 2, or each controller's of version 1.
const cgroups = "/sys/fs/cgroup"

// within makes a cgroup for one box. It is removed at the end of the bench: removeGroups.
func (b *bench) within(l limit) (strain, error) {
	b.groups++
	group, file, text := cgroups, l.file, l.text
	if _, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers")); err != nil {
		group, file, text = filepath.Join(cgroups, l.controller), l.oldFile, l.older
	}
	group = filepath.Join(group, fmt.Sprintf("%s.%d", filepath.Base(b.dir), b.groups))
	if err := os.Mkdir(group, 0o755); err != nil {
		return strain{}, fmt.Errorf("cannot make a cgroup: %w", err)
	}
	if err := os.WriteFile(filepath.Join(group, file), []byte(text), 0o644); err != nil {
		return strain{}, fmt.Errorf("cannot limit a cgroup; is its controller in cgroup.subtree_control? %w", err)
	}
	return strain{name: l.file + " " + l.text, put: func(pid int) error {
		return os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644)
	}}, nil
}

// removeGroups removes the cgroups of a bench that has ended and had this directory. The last process of one may need a moment to
// be gone from it.
func removeGroups(dir string) error {
	var left []string
	if !harness.Poll(context.Background(), func() bool {
		left = nil
		for _, tree := range []string{cgroups, filepath.Join(cgroups, "*")} {
			found, _ := filepath.Glob(filepath.Join(tree, filepath.Base(dir)+".*"))
			left = append(left, found...)
		}
		for _, group := range left {
			_ = os.Remove(group) // the next look tells
		}
		return len(left) == 0
	}) {
		return fmt.Errorf("cannot remove the cgroups %q", left)
	}
	return nil
}

// withInstances lets a box have so many instances of inotify, as on a node where others use up the rest: the limit of a user is one of
// its user namespace, too.
func withInstances(n int) strain {
	name := fmt.Sprintf("max_inotify_instances %d", n)
	return strain{name, harness.Box{OneUser: true}, func(pid int) error { return allowInstances(pid, n) }}
}

// allowInstances changes the limit from inside the box, whose file it is: namespaces(7).
func allowInstances(pid, n int) error {
	script := fmt.Sprintf("echo %d > /proc/sys/user/max_inotify_instances", n)
	enter := exec.Command("nsenter", "-t", strconv.Itoa(pid), "-U", "--preserve-credentials", "sh", "-c", script)
	if out, err := enter.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot limit the instances of inotify: %w: %s", err, out)
	}
	return nil
}
