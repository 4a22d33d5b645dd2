package process

import "os"

// maxAncestors is how many ancestors of a process are looked at. Real processes
// have a handful; the bound is for those that nest without an end, and for lines of
// descent that change while they are read.
const maxAncestors = 64

// Belongs reports whether a process is the app's: the app itself, a member of
// its group, or a descendant of one of these. An orphan that the app left behind
// is confit's child, so only its group tells. A zombie still has its group and its
// parent, proc_pid_stat(5). Of a process that was reaped nothing is known any
// more, so it belongs to nobody.
func Belongs(pid, app int, group Group) bool {
	if app <= 1 || group <= 1 { // there is none, and 0 is the group of whoever came in from outside
		return false
	}
	for range maxAncestors {
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
