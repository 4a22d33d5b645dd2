package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndLeftovers sends a signal to what an app that is gone left behind: the
// members of its group, and every descendant of confit, in whatever group or
// session. With everybody, and only where confit is PID 1, the signal goes to
// all processes of the PID namespace, also those that came in from outside
// (kubectl exec). CONT follows, as a stopped process acts on no signal but
// KILL. It reports whether confit has a child left, a zombie included, or the
// group a member.
func EndLeftovers(group int, sig syscall.Signal, everybody bool) (left bool) {
	if everybody && os.Getpid() == 1 {
		_ = unix.Kill(-1, sig) // everybody but the caller and PID 1, kill(2)
		_ = unix.Kill(-1, unix.SIGCONT)
	} else {
		_ = KillGroup(group, sig)
		_ = KillGroup(group, unix.SIGCONT)
		for _, pid := range descendants(os.Getpid()) {
			_ = Kill(pid, sig)
			_ = Kill(pid, unix.SIGCONT)
		}
	}
	return Leftovers(group)
}

// Leftovers reports whether confit has a child, a zombie included, or the group
// a member.
func Leftovers(group int) bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err != unix.ECHILD || GroupAlive(group)
}

// descendants lists the processes below one, nearest first. Without /proc it
// knows of none.
func descendants(of int) []int {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parent := parentOf(pid)
			children[parent] = append(children[parent], pid)
		}
	}
	list := children[of]
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}

// parentOf reads a process's parent from /proc/PID/stat, where the name in
// front of it may hold anything: proc_pid_stat(5). It is -1 for one that has
// ended meanwhile.
func parentOf(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 2 {
		return -1
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return -1
	}
	return parent
}
