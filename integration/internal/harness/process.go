package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Process is one process of a box, seen from outside.
type Process struct {
	PID     int    // outside
	Inner   int    // in the box
	State   string // a letter, as proc_pid_status(5) has it
	Command string // the command line
}

// String describes the process in a line.
func (p Process) String() string {
	return fmt.Sprintf("pid %d, outside %d, state %s: %.200s", p.Inner, p.PID, p.State, p.Command)
}

// Processes lists the box in the order of its own pids, which is that of birth, zombies included. What disappears while it is
// being read is left out.
func (i *Init) Processes() []Process {
	if i.pidns == nil {
		return nil
	}
	own, err := i.pidns.Stat()
	if err != nil {
		return nil
	}
	var found []Process
	for _, dir := range everyProcess() {
		if ns, err := os.Stat(filepath.Join(dir, "ns/pid")); err != nil || !os.SameFile(ns, own) {
			continue
		}
		if p, err := readProcess(dir); err == nil {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b Process) int { return a.Inner - b.Inner })
	return found
}

// everyProcess lists the directories of all processes of the machine. A pattern that reaches below them would make the kernel list each
// one's files, which is most of what a short test costs.
func everyProcess() []string {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	return dirs
}

func readProcess(dir string) (Process, error) {
	pid, err := strconv.Atoi(filepath.Base(dir))
	if err != nil {
		return Process{}, err
	}
	command, err := readCommand(filepath.Join(dir, "cmdline"))
	if err != nil {
		return Process{}, err
	}
	pids := strings.Fields(StatusField(dir, "NSpid"))
	state := strings.Fields(StatusField(dir, "State"))
	if len(pids) == 0 || len(state) == 0 {
		return Process{}, os.ErrProcessDone
	}
	inner, err := strconv.Atoi(pids[len(pids)-1])
	text := strings.TrimRight(strings.ReplaceAll(string(command), "\x00", " "), " ")
	return Process{PID: pid, Inner: inner, State: state[0], Command: text}, err
}

// readCommand reads a command line by one call. With a second one, a process that executes a program between the two would have the
// beginning of the former command line and the rest of the new one.
func readCommand(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buf := make([]byte, 64<<10)
	n, err := file.Read(buf)
	if errors.Is(err, io.EOF) { // a zombie has none
		err = nil
	}
	return buf[:n], err
}

// StatusField is a field of the file status in a directory of /proc: proc_pid_status(5). It is "" when the process or the field is
// missing.
func StatusField(dir, name string) string {
	status, _ := os.ReadFile(filepath.Join(dir, "status"))
	for text := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(text, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Ticks is how long the program's threads have run, in hundredths of a second: proc_pid_stat(5), where USER_HZ is 100 everywhere.
func (i *Init) Ticks() (int, error) {
	stat, err := os.ReadFile(i.Proc("stat"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("cannot read %q: it holds %q", i.Proc("stat"), stat)
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return user + system, errors.Join(err1, err2)
}

// Switches counts the context switches of all threads of the program, those that a thread asked for and those that it suffered. A
// thread that sleeps makes none, so they count wake-ups.
func (i *Init) Switches() (sum int, err error) {
	threads, err := filepath.Glob(i.Proc("task/*"))
	for _, thread := range threads {
		for _, field := range []string{"voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"} {
			n, err := strconv.Atoi(StatusField(thread, field))
			if _, gone := os.Stat(thread); err != nil && gone == nil {
				return 0, fmt.Errorf("cannot read %s of %q: %w", field, thread, err)
			}
			sum += n
		}
	}
	return sum, err
}

// SignalName is the name without SIG, or the number of a signal that has none.
func SignalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return strconv.Itoa(int(sig))
}
