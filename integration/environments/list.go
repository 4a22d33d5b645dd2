package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// slow is how long an emulated machine may need.
const slow = 3 * time.Minute

// environments are the rows of the table.
func environments(dir, runsc string) []*environment {
	all := []*environment{
		{name: "runc", needs: []string{"runc"}, run: byOCI("runc")},
		{name: "runc, a pod's shared PID namespace", needs: []string{"runc"}, run: byOCI("runc"), setUp: pause},
		{name: "tini in confit's place, runc", needs: []string{"runc", "tini-static"}, run: byOCI("runc"), counter: true,
			patience: 12 * time.Second, init: []string{"/bin/tini", "--"}},
		{name: "crun", needs: []string{"crun"}, run: byOCI(unified("crun", "--cgroup-manager=disabled")...)},
		{name: "gVisor (runsc, systrap)", needs: []string{runsc}, lines: "allow-disk\n", patience: slow,
			run: byOCI(runsc, "--platform=systrap", "--network=none", "--ignore-cgroups", "--overlay2=none")},
	}
	return slices.Concat(all, podmen(dir), rootless(dir), fileSystems(), emulated())
}

// unified runs a program where cgroups are as version 2 has them: crun starts nothing beside a mixture.
func unified(program ...string) []string {
	return mounting(strings.ReplaceAll(unify, "%%", "%")+` && exec "$0" "$@"`, program...)
}

// unify is for a machine that has both versions of cgroups.
const unify = `{ [ "$(stat -fc %%T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 none /sys/fs/cgroup; }`

// mounting runs a program where a script has mounted something.
func mounting(script string, program ...string) []string {
	return append([]string{"unshare", "--mount", "sh", "-c", script}, program...)
}

// pause is process 1 of a pod whose containers share the namespace of processes.
func pause(e *environment, _ string) (string, func(), error) {
	first := exec.Command("sleep", "infinity")
	first.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := first.Start(); err != nil {
		return "", nil, err
	}
	e.pids = fmt.Sprintf("/proc/%d/ns/pid", first.Process.Pid)
	return "", func() { _ = first.Process.Kill(); _ = first.Wait() }, nil
}

// podmen are podman's: of root, and of a user without rights.
func podmen(dir string) []*environment {
	needs := []string{"podman", "setpriv"}
	store := filepath.Join(dir, "podman")
	_ = os.MkdirAll(store, 0o755)
	root := func(flags ...string) func(*box) (container, error) { return byPodman(store, unified(), flags...) }
	return []*environment{
		{name: "podman, root", needs: needs, run: root()},
		{name: "podman, root, read-only", needs: needs, run: root("--read-only")},
		{name: "podman, root, `--init`", needs: needs, run: root("--init")},
		{name: "podman, root, no capabilities", needs: needs, run: root("--cap-drop", "all")},
		{name: "podman, user 12345, no capabilities, read-only", needs: needs, run: root("--user", "12345:12345", "--cap-drop", "all", "--read-only")},
	}
}

// nobody has no rights. Only these containers' podman sees a range of users that it may use.
const (
	nobody = 65534
	ranges = unify + ` && mount --bind %[1]s/ranges /etc/subuid && mount --bind %[1]s/ranges /etc/subgid && exec "$0" "$@"`
)

// rootless are podman's of a user without rights. What the host writes into a pod's directories is of a user that these containers don't know.
func rootless(dir string) []*environment {
	home := filepath.Join(dir, "home")
	_ = os.MkdirAll(home, 0o700)
	_ = os.Chown(home, nobody, nobody)
	id := strconv.Itoa(nobody)
	_ = os.WriteFile(filepath.Join(dir, "ranges"), []byte("nobody:200000:65536\n"), 0o644)
	front := mounting(fmt.Sprintf(ranges, dir), "setpriv", "--reuid", id, "--regid", id, "--clear-groups", "env", "--chdir=/", "HOME="+home, "XDG_RUNTIME_DIR="+home)
	user := func(flags ...string) func(*box) (container, error) { return byPodman(home, front, flags...) }
	needs := []string{"podman", "setpriv", "unshare"}
	all := []*environment{
		{name: "podman, rootless", run: user()},
		{name: "podman, rootless, read-only, no capabilities", run: user("--read-only", "--cap-drop", "all")},
		{name: "podman, rootless, `--init`", run: user("--init")},
		{name: "podman, rootless, keep-id", run: user("--userns", "keep-id")},
	}
	for _, e := range all {
		e.needs = needs
		e.setUp = func(e *environment, _ string) (string, func(), error) {
			return "", func() {}, command("chown", "-R", id+":"+id, e.rootfs) // podman writes to /etc there
		}
	}
	return all
}
