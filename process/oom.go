package process

// oomFiles hold a line "oom_kill N" for the container's own cgroup: version 2,
// cgroup-v2.rst of the kernel's documentation, then version 1, memory.rst.
var oomFiles = []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}

// OOMKills is how many processes of this container the kernel has killed because
// memory ran out, or 0 where it doesn't say.
func OOMKills() int {
	for _, name := range oomFiles {
		if n, ok := amount(lineAfter(name, "oom_kill ")); ok {
			return int(n)
		}
	}
	return 0
}
