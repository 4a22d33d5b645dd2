package process

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"confit/process/entrypoint"
)

// WorkingDirectory is that of a process, or "" if it isn't known. A directory that was removed
// keeps its last name.
func WorkingDirectory(pid int) string { return proc.Link(pid, "cwd") }

// User is the user that a process has for files. Without groups it isn't known.
type User struct {
	ID     uint32
	Groups []uint32
}

// UserOf reads the user of a process, or of a zombie: in /proc/PID/status the last of the ids is
// that for files. There may be any number of supplementary groups.
func UserOf(pid int) (u User) {
	text, _ := os.ReadFile(proc.File(pid, "status"))
	for line := range strings.Lines(string(text)) {
		name, ids, _ := strings.Cut(line, ":")
		for i, word := range strings.Fields(ids) {
			id, _ := strconv.ParseUint(word, 10, 32)
			switch {
			case name == "Uid" && i == 3:
				u.ID = uint32(id)
			case name == "Gid" && i == 3, name == "Groups":
				u.Groups = append(u.Groups, uint32(id))
			}
		}
	}
	return u
}

// Executable is the path of the program that a process runs, or "" if it isn't known. It stays the
// same when an upgrade replaces the file.
func Executable(pid int) string { return proc.Link(pid, "exe") }

// Program is the name of the program that a process runs, without its version: php-fpm for
// /usr/sbin/php-fpm8.2. Of another user's process confit may see only the first fifteen bytes,
// which the kernel shows all users: ptrace(2), proc_pid_comm(5). It is "" if nothing is known.
func Program(pid int) string {
	name := Executable(pid)
	if name == "" {
		comm, _ := os.ReadFile(proc.File(pid, "comm"))
		name, _, _ = strings.Cut(strings.TrimSpace(string(comm)), ":") // "nsd: xfrd"
	}
	if name == "" {
		return ""
	}
	return Unversioned(name)
}

// Unversioned is the name of a program without its directory, and without a version at its end:
// digits and dots, and the dash in front of them. That apache2 becomes apache does no harm.
func Unversioned(program string) string {
	name := path.Base(program)
	stem := strings.TrimRight(name, "0123456789.")
	if stem != name {
		stem = strings.TrimRight(stem, "-_")
	}
	if stem == "" {
		return name
	}
	return stem
}

// wraps reports that a program stays the parent of what it starts.
func wraps(program string) bool {
	return program == "busybox" || entrypoint.IsShell(program) || entrypoint.Stays(program)
}

// Wrapped is the process that does an app's work, and its program: the first child of an init, the
// only one of a wrapper, however many there are. Else it is the app itself.
func Wrapped(pid int) (int, string) { return below(pid, wraps) }

// Receiver is the process to which a signal for the app comes, and its program: the first child of
// an init, which hands signals on. Else it is the app itself.
func Receiver(pid int) (int, string) { return below(pid, entrypoint.IsInit) }

func below(pid int, passes func(program string) bool) (int, string) {
	program := Program(pid)
	for left := maxAncestors; left > 0 && passes(program); left-- {
		list := proc.Children(pid)
		if len(list) == 0 || len(list) > 1 && !entrypoint.IsInit(program) { // an init may have been given orphans
			break
		}
		pid, program = list[0].PID, Program(list[0].PID)
	}
	return pid, program
}

// HasChildOfSameProgram reports whether a child of the process runs the same program, as the worker
// of a master does.
func HasChildOfSameProgram(pid int) bool {
	program := Program(pid)
	return slices.ContainsFunc(proc.Children(pid), func(child stat) bool { return Program(child.PID) == program })
}

// Stopped reports whether a process is stopped, so that it takes only KILL and CONT.
func Stopped(pid int) bool {
	s, _ := proc.Stat(pid)
	return s.Stopped
}
