package process

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryFiles are where a version of cgroups says how much memory a group may have and has:
// cgroup-v2.rst of the kernel's documentation, and memory.rst of version 1. The group's own path
// follows the mark in /proc/self/cgroup, and what can be dropped that in memory.stat.
var memoryFiles = [...]struct{ mark, root, limit, used, cache string }{
	{"0::", "/sys/fs/cgroup", "/memory.max", "/memory.current", "\ninactive_file "},
	{":memory:", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "\ntotal_inactive_file "},
}

// unlimited is what no machine has: version 1 writes a limit of its own that isn't one.
const unlimited = 1 << 60

// Headroom is how many bytes of memory are left to this process below the limit of its cgroup, or
// of one above that has less; false if none has a limit, or nobody can tell. What the kernel holds of
// files only to have them at hand counts as left. In a container the group is often the root of what
// is seen, whatever its path.
func Headroom() (left int64, limited bool) {
	for i := range memoryFiles {
		v := &memoryFiles[i]
		for group := path.Join("/", lineAfter("/proc/self/cgroup", v.mark)); ; group = path.Dir(group) {
			dir := v.root + group
			limit, ok := amount(lineAfter(dir+v.limit, ""))
			if used, known := amount(lineAfter(dir+v.used, "")); ok && known && limit < unlimited {
				cache, _ := amount(lineAfter(dir+"/memory.stat", v.cache))
				if n := max(limit-used+cache, 0); !limited || n < left {
					left, limited = n, true
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return left, limited
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
