package process

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryFiles are where a version of cgroups says how much memory a group may have and has:
// cgroup-v2.rst of the kernel's documentation, and memory.rst of version 1.
type memoryFiles struct {
	line               string // begins the group's line in /proc/self/cgroup, between its colons
	root               string
	limit, used, cache string // cache is the name of what can be dropped, in memory.stat
}

var memoryVersions = []memoryFiles{
	{"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
	{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
}

// unlimited is what no machine has: version 1 writes a limit of its own that isn't one.
const unlimited = 1 << 60

// Headroom is how many bytes of memory are left to this process below the limit of its cgroup, or
// of one above that has less; false if none has a limit, or nobody can tell. What the kernel holds of
// files only to have them at hand counts as left.
func Headroom() (left int64, limited bool) {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for _, v := range memoryVersions {
		for dir := v.groupIn(string(groups)); ; dir = path.Dir(dir) {
			if n, ok := v.headroomOf(v.root + dir); ok && (!limited || n < left) {
				left, limited = n, true
			}
			if dir == "/" {
				break
			}
		}
	}
	return left, limited
}

// groupIn is the path of the group, or of the whole tree if it isn't named: in a container the group
// is often the root of what is seen.
func (v memoryFiles) groupIn(groups string) string {
	for line := range strings.Lines(groups) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 && f[1] == v.line {
			return path.Join("/", f[2])
		}
	}
	return "/"
}

func (v memoryFiles) headroomOf(group string) (left int64, ok bool) {
	limit, err := readNumber(path.Join(group, v.limit))
	if err != nil || limit >= unlimited {
		return 0, false
	}
	used, err := readNumber(path.Join(group, v.used))
	if err != nil {
		return 0, false
	}
	stat, _ := os.ReadFile(path.Join(group, "memory.stat"))
	for line := range bytes.Lines(stat) {
		if rest, found := bytes.CutPrefix(line, []byte(v.cache)); found {
			cache, _ := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
			used -= cache
		}
	}
	return max(limit-used, 0), true
}

func readNumber(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // "max" is none
}

// limited starts what start starts with RLIMIT_DATA of so many bytes, setrlimit(2): what a process
// allocates beyond fails, where the kernel would kill somebody in the cgroup. RLIMIT_AS counts what is
// only reserved, too: with 256 MiB of it no program of Go, java or node began to run, and with as
// much of this all did: node from 64 MiB on, promtool and a small class of java from 128.
func limited(size uint64, start func()) {
	var own unix.Rlimit
	if size == 0 || unix.Getrlimit(unix.RLIMIT_DATA, &own) != nil {
		start()
		return
	}
	less := own
	less.Cur = min(size, own.Max)
	if unix.Setrlimit(unix.RLIMIT_DATA, &less) == nil {
		defer func() { _ = unix.Setrlimit(unix.RLIMIT_DATA, &own) }()
	}
	start()
}

// GoFirst makes this process, and all that it starts, those that the kernel kills first when memory
// runs out: proc_pid_oom_score_adj(5).
func GoFirst() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }
