//go:build check

package entrypoint

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// inFront are programs that stand in front of a script, or become it.
var inFront = map[string][]string{
	"tini":      {"tini", "--"},
	"tini -s":   {"tini", "-s", "-g", "--"},
	"dumb-init": {"dumb-init", "--"},
	"catatonit": {"catatonit", "--"},
	"timeout":   {"timeout", "1000"},
	"su":        {"su", "-s", "/bin/bash", "nobody", "-c"},
	"runuser":   {"runuser", "-u", "nobody", "--"},
	"setpriv":   {"setpriv", "--reuid=nobody", "--clear-groups"},
	"gosu":      {"gosu", "nobody"},
	"env":       {"env", "A=b"},
	"inits":     {"tini", "--", "dumb-init", "setpriv", "--reuid=nobody", "--clear-groups", "timeout", "1000"},
	"busybox":   {"busybox", "sh", "-c", `exec "$0"`},
}

// readable is a script that another user may read.
func readable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "confit-entrypoint-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	script := filepath.Join(dir, "start.sh")
	makeProgram(t, script, waits)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return script
}

// TestReal_inFront looks through what stands in front of a script.
func TestReal_inFront(t *testing.T) {
	t.Parallel()
	for name, command := range inFront {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := readable(t)
			executes(t, "/", "bash shell executes: /bin/bash "+script, "cat: cat", append(command, script)...)
		})
	}
}

// TestReal_unprivileged does so without CAP_SYS_PTRACE, which runtimes don't give: then the program of another user
// isn't to be seen.
func TestReal_unprivileged(t *testing.T) {
	t.Parallel()
	for name, command := range inFront {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dropPtrace(t)
			script := readable(t)
			executes(t, "/", "bash shell executes: /bin/bash "+script, "cat: cat", append(command, script)...)
		})
	}
}

// TestReal_hidden: the test above is about programs that can't be seen.
func TestReal_hidden(t *testing.T) {
	t.Parallel()
	dropPtrace(t)
	script := readable(t)
	pid, _ := running(t, "/", "gosu", "nobody", script)
	at := until(t, NewProc("/proc", "", ""), pid, "bash shell executes: /bin/bash "+script)
	if exe, err := os.Readlink(NewProc("/proc", "", "").File(at.PID, "exe")); err == nil {
		t.Errorf("the program is to be seen: %s", exe)
	}
}

// dropPtrace takes CAP_SYS_PTRACE from the thread of a test, which ends with it.
func dropPtrace(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	err := unix.Capget(&header, &data[0])
	data[0].Effective &^= 1 << unix.CAP_SYS_PTRACE
	data[0].Permitted &^= 1 << unix.CAP_SYS_PTRACE
	if err == nil {
		err = unix.Capset(&header, &data[0])
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReal_busybox looks at its shell, under both of its names.
func TestReal_busybox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeProgram(t, filepath.Join(dir, "script"), "read -r line; exec cat")
	if err := os.Symlink("/bin/busybox", filepath.Join(dir, "ash")); err != nil {
		t.Fatal(err)
	}
	for atWork, command := range map[string][]string{
		"sh shell executes: sh DIR/script":     {"busybox", "sh", dir + "/script"},
		"ash shell executes: DIR/ash -c":       {dir + "/ash", "-c", "read -r line; cat"},
		"ash shell executes: DIR/ash -c again": {dir + "/ash", "-c", "read -r line; exec cat"},
	} {
		atWork = strings.TrimSuffix(strings.ReplaceAll(atWork, "DIR", dir), " again")
		executes(t, dir, atWork, "cat: cat", command...)
	}
}
