package budget

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Room is the memory that the container has left, in bytes; false: it has no
// limit, or it isn't known. What the kernel would drop from its cache counts as
// left. The directory is where the kernel shows a container its own cgroup:
// /sys/fs/cgroup.
func Room(dir string) (uint64, bool) {
	for _, v := range []struct{ limit, used, stat, cache string }{
		{"memory.max", "memory.current", "memory.stat", "inactive_file"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"}, // version 1
	} {
		limit, err := strconv.ParseUint(read(dir, v.limit), 10, 64)
		used, unknown := strconv.ParseUint(read(dir, v.used), 10, 64)
		if err != nil || unknown != nil || limit >= 1<<60 { // version 1 writes no limit as a number
			continue
		}
		used -= min(used, field(read(dir, v.stat), v.cache))
		return limit - min(limit, used), true
	}
	return 0, false
}

func read(dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(data))
}

// field is a number of a file that has a name and one in each line; 0: none.
func field(text, name string) uint64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}
