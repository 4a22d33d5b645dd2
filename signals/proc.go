package signals

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// statusOf is empty when the kernel doesn't say.
func statusOf(pid int) []byte {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return status
}

// mask reads a line of hexadecimal digits, the lowest bit being signal 1.
func mask(status []byte, name string) (uint64, bool) {
	m, err := strconv.ParseUint(string(field(status, name)), 16, 64)
	return m, err == nil
}

// field is what stands in one line.
func field(status []byte, name string) []byte {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return bytes.TrimSpace(rest)
		}
	}
	return nil
}
