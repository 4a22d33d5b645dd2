//go:build fleet

package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryLimit has room for confit, its app and a hook, and not for more.
const memoryLimit = 128 << 20

// The tree of the memory controller: that of version 1 where it is mounted, and else version 2's only one.
const (
	memoryV1 = "/sys/fs/cgroup/memory"
	memoryV2 = "/sys/fs/cgroup"
)

// groupName is followed by the pid of the test and the pod's name.
const groupName = "confit-fleet-"

// removeOldGroups removes what a test that was killed has left. Nothing runs in those.
func removeOldGroups() {
	for _, tree := range []string{memoryV1, memoryV2} {
		left, _ := filepath.Glob(filepath.Join(tree, groupName+"*"))
		for _, dir := range left {
			pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), groupName), "-")
			if _, err := os.Stat(filepath.Join("/proc", pid)); err != nil {
				_ = os.Remove(dir) // the test that needs it says so
			}
		}
	}
}

// limitMemory makes the pod's cgroup, for containers that are started from now on. It goes with the test.
func (p *pod) limitMemory() error {
	name := fmt.Sprintf("%s%d-%s", groupName, os.Getpid(), p.name)
	p.memory = filepath.Join(memoryV2, name)
	limits := map[string]string{"memory.max": strconv.Itoa(memoryLimit), "memory.oom.group": "1"}
	if isV1() {
		p.memory = filepath.Join(memoryV1, name)
		limits = map[string]string{"memory.limit_in_bytes": strconv.Itoa(memoryLimit)}
	} else if err := os.WriteFile(memoryV2+"/cgroup.subtree_control", []byte("+memory"), 0); err != nil {
		return err
	}
	err := os.Mkdir(p.memory, 0o755)
	for file, value := range limits {
		err = errors.Join(err, os.WriteFile(filepath.Join(p.memory, file), []byte(value), 0))
	}
	return err
}

func isV1() bool {
	_, err := os.Stat(memoryV1)
	return err == nil
}

// confine puts a container that waits at its gate into the pod's cgroup. When a pod of Kubernetes runs out of memory, all of its
// container is killed: the kubelet sets memory.oom.group. Version 1 has no such thing; there the kernel kills PID 1, which is the same.
func (p *pod) confine() error {
	if p.memory == "" {
		return nil
	}
	err := os.WriteFile(filepath.Join(p.memory, "cgroup.procs"), []byte(strconv.Itoa(p.box.PID)), 0)
	if isV1() {
		err = errors.Join(err, os.WriteFile(p.box.Proc("oom_score_adj"), []byte("1000"), 0))
	}
	return err
}

// release removes the cgroup, from which the last process may need a moment to be gone.
func (p *pod) release() error {
	if p.memory == "" {
		return nil
	}
	var err error
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = os.Remove(p.memory); err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	return err
}
