// Package life finds out which start of the kernel this is, and when the container
// was started, by which the containers of a pod are told apart.
package life

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confit/confitctl/rollout"
)

// tick is the unit in which the kernel tells when a process was started: USER_HZ
// is 100 wherever Go runs.
const tick = 10 * time.Millisecond

// Now is the life of the container in which this process runs; "" where /proc, or
// what stands for it, doesn't say.
func Now(proc string) rollout.Life {
	boot, now := Boot(proc), Clock()
	start, ok := firstStart(proc)
	if len(boot) < 8 || now == 0 || !ok {
		return ""
	}
	return rollout.NewLife(boot[:8], start, int64(now/tick))
}

// Clock goes on while the machine sleeps, and no two kernels share it. Where there is none time stands still, at 0: nothing lapses.
func Clock() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Boot changes with each start of the kernel, see random(4); "" where /proc, or what stands for it, doesn't say.
func Boot(proc string) string {
	id, _ := os.ReadFile(filepath.Join(proc, "sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(id))
}

// firstStart climbs to the process that has no parent in its PID namespace, and
// tells when that was started. In a pod whose containers share one it is that of
// the container, too: its parent is outside.
func firstStart(proc string) (ticks int64, ok bool) {
	pid := "self"
	for range 100 {
		data, err := os.ReadFile(filepath.Join(proc, pid, "stat"))
		if err != nil {
			return 0, false
		}
		// The name of the program is in parentheses, and may hold some: proc(5).
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(fields) < 20 {
			return 0, false
		}
		if pid = fields[1]; pid == "0" {
			ticks, err = strconv.ParseInt(fields[19], 10, 64)
			return ticks, err == nil
		}
	}
	return 0, false
}
