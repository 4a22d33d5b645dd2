//go:build check

package daemons

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"confit/integration/internal/harness"
)

// appPID is that of the running app, seen from here; 0 when there is none.
func (c *confit) appPID() int {
	var children []string // of any thread
	lists, _ := filepath.Glob(c.Proc("task/*/children"))
	for _, path := range lists {
		list, _ := os.ReadFile(path)
		children = append(children, strings.Fields(string(list))...)
	}
	for _, child := range children {
		inner := strings.Fields(harness.StatusField("/proc/"+child, "NSpid"))
		if len(inner) > 0 && c.logged(`msg="app started"`, " pid="+inner[len(inner)-1]+" ") > 0 {
			outer, _ := strconv.Atoi(child)
			return outer
		}
	}
	return 0
}

// ready waits until the app takes the signals that it will be sent. haproxy's workers serve while the master still ignores
// some of them, at its start and after each reload.
func (c *confit) ready() {
	c.t.Helper()
	for _, sig := range []syscall.Signal{c.reload, c.stop} {
		if sig != 0 {
			c.Eventually("the app catching "+harness.SignalName(sig), func() bool { return catches(c.appPID(), sig) || c.blocks && has(c.appPID(), "SigBlk", sig) })
		}
	}
}

func catches(pid int, sig syscall.Signal) bool { return has(pid, "SigCgt", sig) }

// has reports whether a set of signals of a process has one.
func has(pid int, set string, sig syscall.Signal) bool {
	mask, err := strconv.ParseUint(harness.StatusField(fmt.Sprintf("/proc/%d", pid), set), 16, 64)
	return err == nil && mask&(1<<(sig-1)) != 0
}
