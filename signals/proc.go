package signals

import (
	"os"
	"strconv"
	"strings"
)

// set is a set of signals as the kernel writes it: the lowest bit is signal 1.
type set uint64

func (s set) has(sig Signal) bool { return s&(1<<(sig-1)) != 0 }

// statusOf is the status of a process or of a thread, by its directory in /proc; empty when the
// kernel doesn't say.
func statusOf(dir string) string {
	status, _ := os.ReadFile(dir + "/status")
	return string(status)
}

// mask reads a set of signals, which is written in hexadecimal.
func mask(status, name string) (set, bool) {
	m, err := strconv.ParseUint(field(status, name), 16, 64)
	return set(m), err == nil
}

// field is the value of one line.
func field(status, name string) string {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
