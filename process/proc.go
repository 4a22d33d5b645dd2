package process

import (
	"os"
	"strconv"

	"confit/process/entrypoint"
)

// proc shows the processes that confit knows.
const proc = entrypoint.Root("/proc")

type stat = entrypoint.Stat

// descendants lists the processes below another, the nearest first, but for those that are left
// out, with all that is below them.
func descendants(of int, leftOut func(stat) bool) []stat {
	children := map[int][]stat{}
	for _, s := range proc.All() {
		if !leftOut(s) {
			children[s.Parent] = append(children[s.Parent], s)
		}
	}
	list := children[of]
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i].PID]...)
	}
	return list
}

// Members lists the processes of a group; none without /proc.
func Members(of Group) (list []int) {
	for _, s := range proc.All() {
		if Group(s.Group) == of && !s.Ended {
			list = append(list, s.PID)
		}
	}
	return list
}

// CanLook reports whether /proc shows the processes that confit knows by their pids. In that of
// another PID namespace they are others.
func CanLook() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
}

// IsVisitor reports whether another confit is the container's init: kubectl exec, for one, has
// started this one. Without /proc it is false.
func IsVisitor() bool {
	self, err := os.Stat("/proc/self/exe")
	init, hidden := os.Stat("/proc/1/exe") // with shareProcessNamespace it is another program
	return os.Getpid() != 1 && err == nil && hidden == nil && os.SameFile(self, init)
}

// maxAncestors bounds how many ancestors of a process are looked at: processes may nest without an
// end, or change their parents meanwhile.
const maxAncestors = 64

// Belongs reports whether a process is the app's: the app itself, a member of its group, or a
// descendant of one of these. Only its group tells this of an orphan. A zombie still has its group
// and its parent, proc_pid_stat(5). A process that was reaped is not the app's.
func Belongs(pid, app int, group Group) bool {
	if app <= 1 || group <= 1 { // there is no app, and 0 is the group of a process from another PID namespace
		return false
	}
	for range maxAncestors {
		if pid == app {
			return true
		}
		s, ok := proc.Stat(pid)
		if !ok || pid == os.Getpid() {
			return false
		}
		if Group(s.Group) == group {
			return true
		}
		pid = s.Parent
	}
	return false
}
