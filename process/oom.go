package process

import (
	"os"
	"strconv"
	"strings"
)

// oomFiles hold a line "oom_kill N" for the container's own cgroup: version 2,
// cgroup-v2.rst of the kernel's documentation, then version 1, memory.rst.
var oomFiles = []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}

// OOMKills is how many processes of this container the kernel has killed because
// memory ran out, or 0 where it doesn't say.
func OOMKills() int {
	for _, name := range oomFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "oom_kill "); ok {
				n, _ := strconv.Atoi(strings.TrimSpace(rest))
				return n
			}
		}
	}
	return 0
}
