package process

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// TestDescendants: not the process itself, and not its parent.
func TestDescendants(t *testing.T) {
	t.Parallel()
	if s, ok := proc.Stat(os.Getpid()); !ok || s.Parent != os.Getppid() {
		t.Errorf("the parent is %d, want %d", s.Parent, os.Getppid())
	}
	list := descendants(os.Getppid(), nobody)
	has := func(pid int) bool { return slices.ContainsFunc(list, func(s stat) bool { return s.PID == pid }) }
	if !has(os.Getpid()) || has(os.Getppid()) {
		t.Errorf("descendants of %d: %v, want %d among them", os.Getppid(), list, os.Getpid())
	}
	last, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(string(last[:len(last)-1]))
	if s, ok := proc.Stat(pid); ok {
		t.Errorf("process %d is there: %+v", pid, s)
	}
}
