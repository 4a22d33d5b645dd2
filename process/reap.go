package process

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes confit the parent of orphans where it isn't PID 1, PR_SET_CHILD_SUBREAPER
// of prctl(2).
func BecomeSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Exit is the end of a child: one that confit started, or an orphan.
type Exit struct {
	PID    int
	Status Status
	Hook   bool // [Hook.Over] gives it, too
}

// Family holds the hooks that run. It belongs to one goroutine.
type Family struct {
	hooks   map[int]*Hook // by pid; the group of each ends with it
	helpers map[int]int   // when each was started that was there before the first app, by pid; nil until then
	found   *unix.Termios // the terminal's settings before the first app; nil without one
}

// NewFamily returns a family without members.
func NewFamily() *Family { return &Family{hooks: map[int]*Hook{}} }

// Reap reaps all children that have ended, and gives each end to handle: one SIGCHLD may stand for
// any number of them.
//
// Before it reaps a child it calls look, while the kernel still knows the child, and all messages
// of the child have come in. It also kills the group of a hook: the zombie pins the group's number,
// so no other group can have it.
func (f *Family) Reap(look func(pid int), handle func(Exit)) {
	for pid := peek(); pid != 0; pid = peek() {
		look(pid)
		hook := f.hooks[pid]
		hook.Signal(unix.SIGKILL) // ESRCH: the leader was the last
		var ws unix.WaitStatus
		if _, err := unix.Wait4(pid, &ws, unix.WNOHANG, nil); err != nil { // what doesn't wait isn't interrupted
			return
		}
		delete(f.hooks, pid)
		if hook != nil {
			hook.ended(Status(ws))
		}
		handle(Exit{pid, Status(ws), hook != nil})
	}
}

// siginfo is siginfo_t as waitid(2) fills it. The empty array aligns pid as the union that holds
// it.
type siginfo struct {
	signo, errno, code int32
	_                  [0]uintptr
	pid, uid, status   int32
	_                  [100]byte
}

// peek is the pid of a child that has ended and isn't reaped, or 0.
func peek() int {
	info, _ := lookForEnded()
	return int(info.pid)
}

// lookForEnded looks for a child that has ended, and reaps none: ECHILD says that there is no child
// at all.
func lookForEnded() (siginfo, error) { return waitid(unix.P_ALL, 0, unix.WEXITED|unix.WNOWAIT) }

// CanReap reports whether the kernel answers waitid(2) and wait4(2), without which no end of a
// process is known. It reaps none: no process is its own child.
func CanReap() error {
	call := "waitid"
	_, err := lookForEnded()
	if err == nil || err == unix.ECHILD {
		call = "wait4"
		_, err = unix.Wait4(os.Getpid(), nil, unix.WNOHANG, nil)
	}
	if err == unix.ECHILD {
		return nil
	}
	return fmt.Errorf("cannot wait for processes: %s: %w; allow %[1]s(2) in the seccomp profile", call, err)
}

// waitid is waitid(2), without blocking. The result is empty if there is none.
func waitid(kind, id, options int) (info siginfo, err error) {
	err = unix.Waitid(kind, id, (*unix.Siginfo)(unsafe.Pointer(&info)), options|unix.WNOHANG, nil)
	return info, err
}

// Successor finds the process that took an app's place when the app replaced itself, as nginx does
// at USR2 and QUIT: an orphan that runs the same program. The oldest of several is the successor,
// as the others are its children. A zombie is none. The pid is 0 when there is none.
func (f *Family) Successor(program string) (pid int, group Group) {
	same := slices.DeleteFunc(f.orphans(), func(s stat) bool { return program == "" || Executable(s.PID) != program })
	if len(same) == 0 {
		return 0, 0
	}
	oldest := slices.MinFunc(same, func(a, b stat) int { return cmp.Or(a.Started-b.Started, a.PID-b.PID) })
	return oldest.PID, Group(oldest.Group)
}

// Started is the program of a process that a command has started: what Executable says, or the
// command's file if the process has ended already, as the first process of a daemon does within
// milliseconds.
func Started(pid int, c Command) string {
	if program := Executable(pid); program != "" {
		return program
	}
	path, err := lookPath(c.Args[0], c.Env, c.Dir)
	if err != nil {
		return ""
	}
	program, _ := filepath.EvalSymlinks(inDir(c.Dir, path))
	return program
}

// HasOrphans reports whether confit has orphans.
func (f *Family) HasOrphans() bool { return len(f.orphans()) > 0 }

// orphans lists confit's living children, but for hooks and helpers. Once the app has ended they
// are what it left behind.
func (f *Family) orphans() []stat {
	if !hasChild() {
		return nil // without a look at all processes
	}
	return slices.DeleteFunc(proc.Children(os.Getpid()), func(s stat) bool { return f.isHook(s) || f.isHelper(s) })
}
