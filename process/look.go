package process

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// WorkingDirectory is where a process is, or "" where that isn't known. A
// directory that was removed keeps its last name.
func WorkingDirectory(pid int) string { return linkOf(pid, "cwd") }

// Executable is the path of the program that a process runs, or "" where that
// isn't known. It stays the same when an upgrade replaces the file.
func Executable(pid int) string { return linkOf(pid, "exe") }

// linkOf reads a link of /proc/PID. If the file was removed, the kernel adds a
// word to its name, proc_pid_exe(5).
func linkOf(pid int, name string) string {
	target, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/" + name)
	return strings.TrimSuffix(target, " (deleted)")
}

// Program is the name of the program that a process runs, without its version:
// php-fpm for /usr/sbin/php-fpm8.2, python for /usr/bin/python3.11. It is "" where
// that isn't known.
func Program(pid int) string {
	if executable := Executable(pid); executable != "" {
		return Unversioned(executable)
	}
	return ""
}

// Unversioned is the name of a program without its directory, and without a version
// at its end: digits and dots, and the
// dash in front of them. That apache2 becomes apache does no harm. It also cuts
// the ending that an upgrade gives the file of the running program: nginx.old.
func Unversioned(program string) string {
	name := path.Base(program)
	for _, replaced := range []string{".old", ".oldbin", ".bak"} {
		name = strings.TrimSuffix(name, replaced)
	}
	stem := strings.TrimRight(name, "0123456789.")
	if stem != name {
		stem = strings.TrimRight(stem, "-_")
	}
	if stem == "" {
		return name
	}
	return stem
}

// HasChildOfSameProgram reports whether a child of the process runs the same
// program, as the workers of a master do. A child that has ended doesn't count.
func HasChildOfSameProgram(pid int) bool {
	program := Executable(pid)
	return program != "" && slices.ContainsFunc(processes(), func(s stat) bool {
		return s.parent == pid && !s.ended && Executable(s.pid) == program
	})
}

// Stopped reports whether a process is stopped, so that only KILL and CONT reach
// it.
func Stopped(pid int) bool {
	s, _ := readStat(pid)
	return s.stopped
}
