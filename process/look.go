package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Program is the name of what a process runs, without the version that
// distributions put behind it: php-fpm for /usr/sbin/php-fpm8.2. It is "" where
// that isn't known.
func Program(pid int) string {
	path := Executable(pid)
	if path == "" {
		return ""
	}
	return strings.TrimRight(filepath.Base(path), "0123456789.")
}

// HasChildOfSameProgram reports whether a process has a child that runs its own
// program: a master and its worker.
func HasChildOfSameProgram(pid int) bool {
	program := Executable(pid)
	for _, s := range processes() {
		if s.parent == pid && program != "" && Executable(s.pid) == program {
			return true
		}
	}
	return false
}

// WorkingDirectory is that of a process, or "" where it isn't known.
func WorkingDirectory(pid int) string {
	dir, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return strings.TrimSuffix(dir, " (deleted)")
}

// OnTerminal reports whether a group is in the foreground of confit's terminal,
// so that what is typed there ends it.
func OnTerminal(group int) bool {
	foreground, ok := front()
	return ok && foreground == group
}
