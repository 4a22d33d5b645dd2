package entrypoint

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mostBytes is how much of a script, and of a cmdline, is read.
const mostBytes = 256 << 10

// head is the beginning of a regular file. Nothing else is opened, or read from: a pipe would wait,
// and a device may do something.
func head(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err = file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(file, mostBytes))
	return string(text)
}

// Root is where the kernel shows processes, /proc.
type Root string

// program is what a process runs.
type program struct {
	name  string   // "" if nothing is known
	shell string   // what reads a script: busybox has its shells under their names
	words []string // of the cmdline, the name and the arguments
}

// programOf asks for a program by its file, which needs the rights of ptrace(2) where the process
// is another user's; else by its cmdline, which all may read: proc_pid_exe(5), proc_pid_cmdline(5).
func (p Root) programOf(pid int) program {
	text := head(p.File(pid, "cmdline"))
	words := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	return programIn(cmp.Or(p.Link(pid, "exe"), words[0]), words)
}

// programIn is the program of a file, with the words of its cmdline.
func programIn(file string, words []string) program {
	name := nameOf(file)
	found := program{name, name, words}
	if name != "busybox" {
		return found
	}
	if len(words) > 1 && nameOf(words[0]) == name {
		found.words = words[1:]
	}
	found.name = nameOf(found.words[0])
	return found
}

// Stat is a part of /proc/PID/stat, proc_pid_stat(5).
type Stat struct {
	PID, Parent, Group int
	Name               string // which a process keeps until it is reaped
	Started            int    // clock ticks after boot
	Stopped            bool   // by a signal, until CONT
	Ended              bool   // a zombie
}

// Indices of fields in /proc/PID/stat, counted from the one after the name.
const (
	statState   = 0
	statParent  = 1
	statGroup   = 2
	statStarted = 19
)

// Stat reads the stat of a process. It isn't known of one that was reaped, or that /proc hides.
func (p Root) Stat(pid int) (s Stat, known bool) {
	bytes, _ := os.ReadFile(p.File(pid, "stat"))
	text := string(bytes)
	begin, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if end < begin || begin < 0 {
		return s, false
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) <= statStarted {
		return s, false
	}
	number := func(field int) int {
		n, _ := strconv.Atoi(fields[field]) // the kernel writes numbers there
		return n
	}
	state := fields[statState]
	return Stat{
		PID: pid, Parent: number(statParent), Group: number(statGroup),
		Name: text[begin+1 : end], Started: number(statStarted),
		Stopped: state == "T", Ended: state == "Z" || state == "X",
	}, true
}

// All lists the processes of the PID namespace; none without /proc.
func (p Root) All() (list []Stat) {
	entries, _ := os.ReadDir(string(p))
	for _, e := range entries {
		pid, _ := strconv.Atoi(e.Name())
		if s, known := p.Stat(pid); known {
			list = append(list, s)
		}
	}
	return list
}

// Children lists those of a process that haven't ended, the eldest first: proc_tid_children(5). A
// kernel that is built without this list leaves a look at all processes.
func (p Root) Children(of int) (list []Stat) {
	lists, _ := filepath.Glob(p.File(of, "task/*/children"))
	if len(lists) == 0 {
		list = p.All()
		slices.SortFunc(list, func(a, b Stat) int { return a.PID - b.PID })
	}
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for word := range strings.FieldsSeq(string(text)) {
			pid, _ := strconv.Atoi(word)
			s, _ := p.Stat(pid)
			list = append(list, s)
		}
	}
	return slices.DeleteFunc(list, func(s Stat) bool { return s.Parent != of || s.Ended })
}

// Link reads a link of a process; "" if it isn't known. If the file was removed, the kernel adds a
// word to its name, proc_pid_exe(5).
func (p Root) Link(pid int, name string) string {
	target, _ := os.Readlink(p.File(pid, name))
	return strings.TrimSuffix(target, " (deleted)")
}

// File is the path of what the kernel tells of a process.
func (p Root) File(pid int, name string) string {
	return filepath.Join(string(p), strconv.Itoa(pid), name)
}
