package process

import "os"

// longestLine is how many ancestors of a process are looked at. Real ones have
// a handful; the bound is for whoever nests without an end, and for lines that
// change while they are read.
const longestLine = 64

// Belongs reports whether a process is the app's: the app itself, a member of
// its group, or a descendant of one of these. An orphan that the app left behind
// is confit's child, so it belongs to the app by its group only. A zombie still
// has both, group and parent, proc_pid_stat(5); of a process that was reaped
// nothing is known, so it belongs to nobody.
func Belongs(pid, app, group int) bool {
	if app <= 1 || group <= 1 { // there is none, and 0 is the group of whoever came in from outside
		return false
	}
	for range longestLine {
		if pid == app {
			return true
		}
		s, ok := readStat(pid)
		if !ok || pid == os.Getpid() {
			return false
		}
		if s.group == group {
			return true
		}
		pid = s.parent
	}
	return false
}
