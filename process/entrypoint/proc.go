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

// Children lists those of a process that haven't ended, the eldest first: proc_tid_children(5). A
// kernel that is built without this list leaves a look at all processes.
func (p Root) Children(of int) (list []int) {
	lists, _ := filepath.Glob(p.File(of, "task/*/children"))
	if len(lists) == 0 {
		entries, _ := os.ReadDir(string(p))
		for _, e := range entries {
			pid, _ := strconv.Atoi(e.Name())
			list = append(list, pid)
		}
		slices.Sort(list)
	}
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for word := range strings.FieldsSeq(string(text)) {
			pid, _ := strconv.Atoi(word)
			list = append(list, pid)
		}
	}
	return slices.DeleteFunc(list, func(pid int) bool {
		_, fields := p.Stat(pid)
		return len(fields) < 2 || fields[1] != strconv.Itoa(of) || fields[0] == "Z" || fields[0] == "X"
	})
}

// Stat is the name in /proc/PID/stat, which a process keeps until it is reaped, and the fields
// behind it: proc_pid_stat(5).
func (p Root) Stat(pid int) (name string, fields []string) {
	bytes, _ := os.ReadFile(p.File(pid, "stat"))
	text := string(bytes)
	begin, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if end < begin || begin < 0 {
		return "", nil
	}
	return text[begin+1 : end], strings.Fields(text[end+1:])
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
