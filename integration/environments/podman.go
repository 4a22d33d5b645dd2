package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// limits are lower than podman's own, to which not every machine lets its root raise them.
var limits = []string{"--ulimit", "nofile=4096:4096", "--ulimit", "nproc=30000:30000"}

// stores has podman keep all that it writes in a directory.
func stores(dir string) []string {
	return []string{"--root", filepath.Join(dir, "store"), "--runroot", filepath.Join(dir, "run"), "--runtime", "crun", "--cgroup-manager", "cgroupfs",
		"--events-backend", "none"}
}

// byPodman runs containers by podman, as root or as a user without rights, with some flags of its run. Its store is below dir.
func byPodman(dir string, front []string, flags ...string) func(*box) (container, error) {
	return func(b *box) (container, error) {
		all := append(append(slices.Clone(front), "podman"), stores(dir)...)
		run := append(append(slices.Clone(all), "run", "--rm", "--name", b.name, "--network", "none", "--cgroups", "disabled"), append(limits, flags...)...)
		for _, m := range b.mounts {
			how := "ro"
			if m.writable {
				how = "rw"
			}
			run = append(run, "-v", fmt.Sprintf("%s:%s:%s", m.host, m.inside, how))
		}
		run = append(append(run, "--rootfs", b.rootfs), b.args...)
		return begin(exec.Command(run[0], run[1:]...), func(signal string) error {
			kill := append(slices.Clone(all), "kill", "--signal", signal, b.name)
			return command(kill[0], kill[1:]...)
		})
	}
}
