// Package process knows processes: how they are started, killed and reaped, their groups and their
// terminal, and what confit exits with. All system calls of confit that concern processes are here.
//
// It guarantees one owner of wait: only [Family.Reap] waits, so no status is lost. It is called on
// the goroutine that starts processes, so a pid is known before its process is reaped.
//
// It knows nothing of files, generations or policy.
package process

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Command is a program to start, with its arguments, environment and working directory. An empty
// Dir is confit's own.
type Command struct {
	Args    []string // the program and its arguments, as main receives them
	Env     []string // KEY=VALUE; its PATH finds the program
	Vars    []string // KEY=VALUE; these win over Env
	Dir     string
	MaxData uint64 // bytes of memory that each process may have, see limitData; 0: as confit itself
}

// Path is where its program is looked for, and those that this one names.
func (c Command) Path() string { return pathOf(c.environ()) }

// Environ is confit's environment, byte for byte, but for what [StartGuarded] has added. os.Environ
// leaves out entries that are empty or repeat a name; it is for systems without /proc.
func Environ() (env []string) {
	text, err := os.ReadFile("/proc/self/environ")
	switch {
	case err != nil:
		env = os.Environ()
	case len(text) > 0:
		env = strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	return slices.DeleteFunc(env, func(kv string) bool { return name(kv) == guarded })
}

// environ is the environment of the process: Vars, and what they don't cover of Env.
func (c Command) environ() []string {
	covered := map[string]bool{}
	for _, kv := range c.Vars {
		covered[name(kv)] = true
	}
	env := slices.DeleteFunc(slices.Clone(c.Env), func(kv string) bool { return covered[name(kv)] })
	return append(env, c.Vars...)
}

func name(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}

// The bounds of execve(2), in bytes: the strings of arguments and environment and the pointers to
// them share a quarter of the stack's limit, but at least 128 KiB and at most 6 MiB
// (bprm_stack_limits of fs/exec.c).
const (
	minSpace = 128 << 10
	maxSpace = 6 << 20
	pointer  = 8
)

// reserve is for what only a hook gets, in bytes: its arguments and the changed keys.
const reserve = 128 << 10

// Space is how many bytes of variables a process can be given beside args and env. Each variable
// counts with its NUL and a pointer.
func Space(args, env []string) int {
	space := maxSpace
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err == nil {
		space = int(min(maxSpace, max(minSpace, limit.Cur/4)))
	}
	for _, s := range slices.Concat(args, env) {
		space -= len(s) + 1 + pointer
	}
	return max(space-reserve, 1)
}

// start starts a process; attr makes it the leader of a group or a session of its own.
func start(c Command, files []uintptr, attr *syscall.SysProcAttr) (pid int, err error) {
	path, err := lookPath(c.Args[0], c.Env, c.Dir)
	if err == nil {
		pid, err = forkExec(path, c.Args, &syscall.ProcAttr{Dir: c.Dir, Env: c.environ(), Files: files, Sys: attr})
	}
	if err != nil {
		return 0, startError(c.Args[0], err)
	}
	return pid, nil
}

// Finder returns a function that says why a program can't be started with an environment. It starts
// nothing.
func Finder(env []string) func(program string) error {
	return func(program string) error {
		path, err := lookPath(program, env, "")
		if err == nil {
			err = checkFormat(path)
		}
		if err != nil {
			return startError(program, err)
		}
		return nil
	}
}

// StartApp starts the app on confit's own standard input, output and error.
//
// On a terminal it leads a process group in the foreground, if that is confit's to give: in the
// background SIGTTIN would stop it at its first read (credentials(7), tcsetpgrp(3)). The Go runtime
// has all signals blocked in the child until then, so TTOU doesn't stop it. Without a terminal the
// app leads a session: its group is orphaned, and the kernel drops TSTP, TTIN and TTOU (signal(7),
// setpgid(2)).
//
// An app that asks for a signal at its parent's end (PR_SET_PDEATHSIG of prctl(2)) gets none: to
// the kernel a thread is the parent, and Go ends no thread.
func (f *Family) StartApp(c Command) (pid int, err error) {
	if f.helpers == nil {
		f.noteSurroundings()
	} else {
		f.setTerminal()
	}
	attr := &syscall.SysProcAttr{Setsid: true}
	if _, terminal := foreground(); terminal {
		attr = &syscall.SysProcAttr{Setpgid: true, Foreground: terminalIsOurs()}
	}
	pid, err = start(c, []uintptr{0, 1, 2}, attr)
	reserveThreads() // while the kernel still loads the app
	return pid, err
}

// LeaveDirectory makes / confit's working directory, so that it pins no volume.
func LeaveDirectory() error { return unix.Chdir("/") }

// guarded is a variable of what has a guard. No emulator rewrites it, as qemu-user does the name in
// os.Args.
const guarded = "CONFIT_GUARDED"

// NeedsGuard reports whether another process has to end what this one leaves when it is killed. PID
// 1 needs none, as all processes end with it. What [StartGuarded] has started has its guard.
func NeedsGuard() bool {
	return os.Getpid() != 1 && os.Getenv(guarded) == "" && executable(self) == nil
}

// StartGuarded runs this program once more, with the same arguments and files, as the leader of a
// session: a signal for confit's group doesn't end both. When confit ends, in whatever way, the
// kernel sends TERM to it: PR_SET_PDEATHSIG of prctl(2). That happens at the end of the thread that
// has started it, so the caller stays on this thread.
func StartGuarded(c Command) (pid int, err error) {
	runtime.LockOSThread()
	c.Args, c.Vars = append([]string{self}, os.Args[1:]...), []string{guarded + "=1"}
	return start(c, []uintptr{0, 1, 2}, &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGTERM})
}
