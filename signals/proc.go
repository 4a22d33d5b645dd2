package signals

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// statusOf is /proc/PID/status, empty when the kernel doesn't say.
func statusOf(pid int) []byte {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return status
}

// mask reads a set of signals, which is written in hexadecimal.
func mask(status []byte, name string) (set, bool) {
	m, err := strconv.ParseUint(string(field(status, name)), 16, 64)
	return set(m), err == nil
}

// field is the value of one line.
func field(status []byte, name string) []byte {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return bytes.TrimSpace(rest)
		}
	}
	return nil
}
