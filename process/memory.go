package process

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryFiles are where a version of cgroups says how much memory this container may have and has, and
// whom the kernel has killed for want of it: cgroup-v2.rst of the kernel's documentation, and memory.rst
// of version 1. What can be dropped of the memory follows the mark in memory.stat.
var memoryFiles = [...]struct{ dir, limit, used, cache, kills string }{
	{"", "memory.max", "memory.current", "\ninactive_file ", "memory.events"},
	{"memory/", "memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file ", "memory.oom_control"},
}

// cgroup is where a container finds its own cgroup.
const cgroup = "/sys/fs/cgroup/"

// unlimited is what no machine has: version 1 writes a limit of its own that isn't one.
const unlimited = 1 << 60

// Headroom is how many bytes of memory are left to this container below its limit; false if it has none,
// or nobody can tell. What the kernel holds of files only to have them at hand counts as left. A constant
// would not do: the kubelet has the kernel kill all of a container (memory.oom.group), whoever asked last.
func Headroom() (left int64, limited bool) { return headroom(cgroup) }

func headroom(root string) (left int64, limited bool) {
	for _, v := range memoryFiles {
		dir := root + v.dir
		limit, ok := amount(lineAfter(dir+v.limit, ""))
		used, known := amount(lineAfter(dir+v.used, ""))
		if ok && known && limit < unlimited {
			cache, _ := amount(lineAfter(dir+"memory.stat", v.cache))
			return max(limit-used+cache, 0), true
		}
	}
	return 0, false
}

// OOMKills is how many processes of this container the kernel has killed because
// memory ran out, or 0 where it doesn't say.
func OOMKills() int {
	for _, v := range memoryFiles {
		if n, ok := amount(lineAfter(cgroup+v.dir+v.kills, "oom_kill ")); ok {
			return int(n)
		}
	}
	return 0
}

// lineAfter is the rest of the line that holds a mark, in a small file; "" if there is none.
func lineAfter(file, mark string) string {
	text, _ := os.ReadFile(file)
	_, rest, _ := strings.Cut(string(text), mark)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// amount reads a number of the kernel's; "max" is none.
func amount(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// limitData gives this process RLIMIT_DATA of so many bytes, setrlimit(2), until restore is called: what
// it starts meanwhile keeps the limit. What a process allocates beyond fails, where the kernel would kill
// somebody in the cgroup. RLIMIT_AS counts what is only reserved, too: with 256 MiB of it no program of
// Go, java or node began to run. With RLIMIT_DATA node ran from 64 MiB on, promtool and a java that takes
// its heap from the container's limit from 128. 0 is no limit.
func limitData(size uint64) (restore func()) {
	var own unix.Rlimit
	if size == 0 || unix.Getrlimit(unix.RLIMIT_DATA, &own) != nil {
		return func() {}
	}
	less := own
	less.Cur = min(size, own.Max)
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &less)
	return func() { _ = unix.Setrlimit(unix.RLIMIT_DATA, &own) }
}

// GoFirst makes this process, and all that it starts, those that the kernel kills first when memory
// runs out: proc_pid_oom_score_adj(5).
func GoFirst() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }
