package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Successor finds the process that took an app's place when it replaced itself:
// nginx at USR2 and QUIT, fluentd at USR2. It was the app's child and is
// confit's now, runs the same program, and of several such it is the oldest, as
// the others are its own. It is 0 when there is none: one that has ended is no
// successor, even if nobody has reaped it.
func (f *Family) Successor(program string) (pid, group int) {
	oldest := stat{}
	for _, s := range processes() {
		if s.parent != os.Getpid() || s.ended || f.hooks[s.pid] || program == "" || Executable(s.pid) != program {
			continue
		}
		if oldest.pid == 0 || s.started < oldest.started || (s.started == oldest.started && s.pid < oldest.pid) {
			oldest = s
		}
	}
	if oldest.pid == 0 {
		return 0, 0
	}
	group, err := unix.Getpgid(oldest.pid)
	if err != nil {
		return 0, 0
	}
	return oldest.pid, group
}
