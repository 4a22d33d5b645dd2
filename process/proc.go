package process

import (
	"os"
	"strconv"

	"confit/process/entrypoint"
)

// proc shows the processes that confit knows.
const proc = entrypoint.Root("/proc")

// stat is a part of /proc/PID/stat, proc_pid_stat(5).
type stat struct {
	pid, parent int
	group       Group
	started     int  // clock ticks after boot
	stopped     bool // by a signal, until CONT
	ended       bool // a zombie
}

// Indices of fields in /proc/PID/stat, counted from the one after the name.
const (
	statState   = 0
	statParent  = 1
	statGroup   = 2
	statStarted = 19
)

// readStat reads the stat of a process.
func readStat(pid int) (stat, bool) {
	_, fields := proc.Stat(pid)
	if len(fields) <= statStarted {
		return stat{}, false
	}
	parent, err1 := strconv.Atoi(fields[statParent])
	group, err2 := strconv.Atoi(fields[statGroup])
	started, err3 := strconv.Atoi(fields[statStarted])
	state := fields[statState]
	return stat{pid, parent, Group(group), started, state == "T", state == "Z" || state == "X"}, err1 == nil &&
		err2 == nil && err3 == nil
}

// processes lists all processes of the PID namespace; none without /proc.
func processes() []stat {
	var list []stat
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, ok := readStat(pid); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// children lists those of a process that have not ended.
func children(of int) (list []stat) {
	for _, pid := range proc.Children(of) {
		if s, known := readStat(pid); known {
			list = append(list, s)
		}
	}
	return list
}

// descendants lists the processes below another, the nearest first, but for those that are left
// out, with all that is below them.
func descendants(of int, leftOut func(stat) bool) []stat {
	children := map[int][]stat{}
	for _, s := range processes() {
		if !leftOut(s) {
			children[s.parent] = append(children[s.parent], s)
		}
	}
	list := children[of]
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i].pid]...)
	}
	return list
}

// Members lists the processes of a group; none without /proc.
func Members(of Group) (list []int) {
	for _, s := range processes() {
		if s.group == of && !s.ended {
			list = append(list, s.pid)
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
