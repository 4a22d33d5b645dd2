package process

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// memoryFiles are the files of the two versions of cgroups, cgroup-v2.rst and memory.rst of the
// kernel's documentation: the container's limit of memory, its use, and how often the kernel has
// killed a process. What the kernel can drop of the memory in use follows the mark in memory.stat.
var memoryFiles = [...]struct{ dir, limit, used, cache, kills string }{
	{"", "memory.max", "memory.current", "\ninactive_file ", "memory.events"},
	{"memory/", "memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file ", "memory.oom_control"},
}

// Cgroup is the directory of a cgroup.
type Cgroup string

// Container is the container's own cgroup.
const Container Cgroup = "/sys/fs/cgroup/"

// unlimited is more memory than any machine has: version 1 shows such a number for no limit.
const unlimited = 1 << 60

// Headroom is how many bytes of memory are left to a container below its limit; false if it has
// none, or that isn't known. The cache of files counts as left. At the limit the kernel kills all
// of the container, whichever process exceeds it: the kubelet sets memory.oom.group.
func (c Cgroup) Headroom() (left int64, limited bool) {
	for _, v := range memoryFiles {
		limit, ok := c.amount(v.dir+v.limit, "")
		used, known := c.amount(v.dir+v.used, "")
		if ok && known && limit < unlimited {
			cache, _ := c.amount(v.dir+"memory.stat", v.cache)
			return max(limit-used+cache, 0), true
		}
	}
	return 0, false
}

// OOMKills tells whether the kernel has lately killed a process of this container because memory
// ran out. Its counter says neither which process that was nor when, so it is looked at now and
// then.
type OOMKills struct {
	of           Cgroup
	before, last int       // what the last two looks have found
	at           time.Time // of the last look
}

// CountOOMKills begins with what the counter says now.
func (c Cgroup) CountOOMKills(now time.Time) OOMKills {
	n := c.oomKills()
	return OOMKills{of: c, before: n, last: n, at: now}
}

// lately is how long a kill is news, at least. It lasts until the second look after the kill,
// however seldom there is one.
const lately = 10 * time.Second

// Look looks at the counter once lately is over.
func (k *OOMKills) Look(now time.Time) {
	if now.Sub(k.at) >= lately {
		k.before, k.last, k.at = k.last, k.of.oomKills(), now
	}
}

// Lately reports that there was a kill since the last look but one.
func (k *OOMKills) Lately() bool { return k.of.oomKills() > k.before }

// oomKills is the counter, or 0 if that isn't known.
func (c Cgroup) oomKills() int {
	for _, v := range memoryFiles {
		if n, ok := c.amount(v.dir+v.kills, "oom_kill "); ok {
			return int(n)
		}
	}
	return 0
}

// amount reads the number behind a mark in a file; "" marks its start. The word "max" is
// none.
func (c Cgroup) amount(file, mark string) (n int64, ok bool) {
	text, _ := os.ReadFile(string(c) + file)
	_, rest, _ := strings.Cut(string(text), mark)
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(line, 10, 64)
	return n, err == nil
}

// limitData gives this process RLIMIT_DATA of so many bytes, setrlimit(2), until restore is called;
// 0 is no limit. A process that is started meanwhile inherits it: its allocations beyond fail, and
// the kernel kills no process for them. RLIMIT_AS counts reserved addresses, too: no program of Go,
// java or node began to run with 256 MiB of it. With RLIMIT_DATA node ran from 64 MiB on, promtool
// and java from 128.
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

// PreferOOMKill has the kernel kill this process, and those that it starts, before others when
// memory runs out: proc_pid_oom_score_adj(5).
func PreferOOMKill() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }
